// Time series, histograms and profiles of a run, and their tables.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/view/resample.h"
#include "kernels/view/statistics/statistics.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/shared_list.h"
#include "sim/view/arrows.h"
#include "sim/view/value_range.h"

namespace stencil {

struct Observable;
class Solver;

inline constexpr std::size_t kMaxProbes = 16;

struct Profile {
    ProfileLine line;
    std::vector<double> distance;  ///< cells from the line's start
    std::vector<double> values;
};

struct Histogram {
    ValueRange range;
    std::vector<std::uint64_t> counts;
};

struct MeasuredMoment {
    long long step = 0;
    Statistics statistics;
};

/// Time series at one cell.
struct ProbeSeries {
    int x = 0, y = 0;
    std::vector<long long> steps;
    std::vector<double> values;
};

/// The cells of the middle row at a step; of the column where the field is one.
struct MeasuredRow {
    long long step = 0;
    std::vector<double> values;
};

/// Values along a line, interpolated between cell centres about once per cell, both ends included, at most
/// 4096.
Profile measure_profile(Solver& solver, const Observable& what, const ProfileLine& line);

/// The colour range by a rule, computed on the solver's device.
ValueRange measure_range(Solver& solver, const Observable& what, const RangeRule& rule, bool centred_at_zero);

/// A histogram of `bins` bins; without counts if the range is empty.
Histogram measure_histogram(Solver& solver, const Observable& what, const ValueRange& range, int bins);

/// The arrows of --arrows, which are those of `shown` if the setting names no formulas.
Arrows measure_arrows(Solver& solver,
                      const RunSpec& spec,
                      const std::string& shown,
                      const ArrowLattice& lattice);

/// The picture of rows over time, downwards from the first: at even steps, each from the row that is nearest.
Array<double> rows_over_time(const SharedList<MeasuredRow>& rows, int width, int height);

/// Time series of statistics and probes.
class Measures {
  public:
    static constexpr std::size_t kWindowMoments = 1024;

    /// Beyond `max_moments` both series drop every second entry except the newest, so they still span the
    /// run. 0 keeps all, at 40 bytes per entry and 16 per probe.
    explicit Measures(std::size_t max_moments = kWindowMoments) : max_moments_(max_moments) {}

    /// Adds the current statistics and probe values; replaces an entry at the same step.
    const Statistics& add(long long step, Solver& solver, const Observable& what);
    const SharedList<MeasuredMoment>& series() const { return series_; }

    /// Adds the middle row (up to 4096 cells of it) of a field of this size; rows of other lengths are
    /// dropped.
    void add_row(long long step, Solver& solver, const Observable& what, Size size);
    const SharedList<MeasuredRow>& rows() const { return rows_; }

    /// Throws InputError beyond kMaxProbes or outside of the field.
    void add_probe(int x, int y, int nx, int ny);
    void remove_probe(int index);
    const SharedList<ProbeSeries>& probes() const { return probes_; }

    /// Restores the series of a resumed run.
    void resume(SharedList<MeasuredMoment> series,
                SharedList<ProbeSeries> probes,
                SharedList<MeasuredRow> rows = {}) {
        series_ = std::move(series);
        probes_ = std::move(probes);
        rows_ = std::move(rows);
    }

    /// The run was reset to an earlier step: drops all later entries.
    void rewind(long long step);
    /// Drops probes outside of the new size.
    void resize(int nx, int ny);

  private:
    void add_probe_values(long long step, Solver& solver, const Observable& what);
    template <class T>
    void add_to(SharedList<T>& list, T item);

    std::size_t max_moments_;
    SharedList<MeasuredMoment> series_;
    SharedList<MeasuredRow> rows_;
    SharedList<ProbeSeries> probes_;
};

/// All tables of one formula.
struct MeasureTables {
    Measures measures;
    std::optional<Histogram> histogram;
    std::vector<Profile> profiles;
};

// These format tables as CSV with a header.
std::string statistics_csv(const Measures& measures, const TableUnits& units = {});
std::string probes_csv(const Measures& measures, const TableUnits& units = {});
std::string histogram_csv(const Histogram& histogram);
/// With several lines, the first column numbers them from 1.
std::string profile_csv(std::span<const Profile> profiles, const TableUnits& units = {});

}  // namespace stencil
