// Numbers over the run and across the field, and the tables that they are exported as.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/view/quantity.h"
#include "kernels/view/resample.h"
#include "kernels/view/statistics/statistics.h"
#include "sim/run/presentation.h"
#include "sim/view/value_range.h"

namespace stencil {

struct Observable;
class Solver;

inline constexpr std::size_t kMaxProbes = 16;

struct Profile {
    ProfileLine line;
    std::vector<double> distance;  ///< cells from its start
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

/// A cell whose values are kept.
struct ProbeSeries {
    int x = 0, y = 0;
    std::vector<long long> steps;
    std::vector<double> values;
};

/// Interpolated between cell centres, one point a cell's length along the line, both ends included, at most
/// 4096.
Profile measure_profile(Solver& solver, const Observable& what, const ProfileLine& line);

/// What find_range() finds, without a copy of the field on the host.
ValueRange measure_range(Solver& solver, const Observable& what, const RangeRule& rule, bool centred_at_zero);

/// Without counts where the range is empty.
Histogram measure_histogram(Solver& solver, const Observable& what, const ValueRange& range, int bins);

/// Statistics and probes over the run.
class Measures {
  public:
    static constexpr std::size_t kWindowMoments = 1024;

    /// Beyond `max_moments` both series lose every second moment, the newest excepted, so that they span the
    /// whole run: enough for the window's plots. Unlimited (0) keeps all, 40 bytes a moment and 16 a probe.
    explicit Measures(std::size_t max_moments = kWindowMoments) : max_moments_(max_moments) {}

    /// This moment of the run: statistics of the field and the values of the probes. One at the same step as
    /// the newest replaces it.
    const Statistics& add(long long step, Solver& solver, const Observable& what);
    const std::vector<MeasuredMoment>& series() const { return series_; }

    /// Throws InputError beyond kMaxProbes or outside the field.
    void add_probe(int x, int y, int nx, int ny);
    void remove_probe(int index);
    const std::vector<ProbeSeries>& probes() const { return probes_; }

    /// Those of a run that goes on.
    void resume(std::vector<MeasuredMoment> series, std::vector<ProbeSeries> probes) {
        series_ = std::move(series);
        probes_ = std::move(probes);
    }

    /// The run went back to this step: what was measured after it did not happen.
    void rewind(long long step);
    /// Probes that are not on the field any more go.
    void resize(int nx, int ny);

  private:
    void add_probe_values(long long step, Solver& solver, const Observable& what);

    std::size_t max_moments_;
    std::vector<MeasuredMoment> series_;
    std::vector<ProbeSeries> probes_;
};

/// All that was measured of a run.
struct MeasureTables {
    Measures measures;
    std::optional<Histogram> histogram;
    std::vector<Profile> profiles;
};

// As CSV, with a header.
std::string statistics_csv(const Measures& measures, const TableUnits& units = {});
std::string probes_csv(const Measures& measures, const TableUnits& units = {});
std::string histogram_csv(const Histogram& histogram);
/// Where there are several lines the first column counts them from 1.
std::string profile_csv(std::span<const Profile> profiles, const TableUnits& units = {});

}  // namespace stencil
