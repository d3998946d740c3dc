#include "sim/run/output/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/solvers/solver.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

constexpr int kMaxProfilePoints = 4096;

// Drops every second value, keeping the newest.
template <class T>
void thin_out(std::vector<T>& values) {
    std::size_t kept = 0;
    for (std::size_t i = (values.size() + 1) % 2; i < values.size(); i += 2)
        values[kept++] = std::move(values[i]);
    values.resize(kept);
}

}  // namespace

Profile measure_profile(Solver& solver, const Observable& what, const ProfileLine& line) {
    Profile profile{line, {}, {}};
    std::vector<SamplePoint> points;
    const double dx = line.to.x - line.from.x;
    const double dy = line.to.y - line.from.y;
    const double length = std::hypot(dx, dy);
    const int count = std::clamp(int(std::min(length, double(kMaxProfilePoints))) + 1, 2, kMaxProfilePoints);
    for (int i = 0; i < count; ++i) {
        const double t = double(i) / (count - 1);
        points.push_back({line.from.x + t * dx, line.from.y + t * dy});
        profile.distance.push_back(t * length);
    }
    profile.values = solver.sample(what, points, true);
    return profile;
}

ValueRange measure_range(Solver& solver,
                         const Observable& what,
                         const RangeRule& rule,
                         bool centred_at_zero) {
    return find_range(
        rule, centred_at_zero, [&](std::span<const double> q) { return solver.percentiles(what, q); });
}

Histogram measure_histogram(Solver& solver, const Observable& what, const ValueRange& range, int bins) {
    Histogram histogram{range, {}};
    if (range.low < range.high) histogram.counts = solver.histogram(what, range.low, range.high, bins);
    return histogram;
}

Arrows measure_arrows(Solver& solver,
                      const RunSpec& spec,
                      const std::string& shown,
                      const ArrowLattice& lattice) {
    return make_arrows(
        spec.drawn_arrows(), lattice, spec.size->nx, spec.size->ny, [&](auto& name, auto& points) {
            return solver.sample(name.empty() ? shown : name, points, true);
        });
}

template <class T>
void Measures::add_to(SharedList<T>& list, T item) {
    const bool replaces = !list.empty() && list.back().step == item.step;
    if (!replaces && (max_moments_ == 0 || list.size() < max_moments_)) {
        list.push_back(std::move(item));
    } else {
        list.modify([&](std::vector<T>& items) {
            if (replaces) items.pop_back();
            items.push_back(std::move(item));
            if (max_moments_ > 0 && items.size() > max_moments_) thin_out(items);
        });
    }
}

const Statistics& Measures::add(long long step, Solver& solver, const Observable& what) {
    add_to(series_, MeasuredMoment{step, solver.statistics(what)});
    add_probe_values(step, solver, what);
    return series_.back().statistics;
}

void Measures::add_row(long long step, Solver& solver, const Observable& what, Size size) {
    const bool upright = size.nx == 1;
    const int cells = upright ? size.ny : size.nx, count = std::min(cells, kMaxProfilePoints);
    const double across = (upright ? size.nx : size.ny) / 2 + 0.5;
    std::vector<SamplePoint> points;
    for (int i = 0; i < count; ++i) {
        const double along = double((long long)i * cells / count) + 0.5;
        points.push_back(upright ? SamplePoint{across, along} : SamplePoint{along, across});
    }
    if (!rows_.empty() && rows_.back().values.size() != points.size()) rows_ = {};
    add_to(rows_, MeasuredRow{step, solver.sample(what, points, false)});
}

void Measures::add_probe(int x, int y, int nx, int ny) {
    if (x < 0 || y < 0 || x >= nx || y >= ny)
        throw InputError("there is no cell ({}, {}): the field has {}x{}", x, y, nx, ny);
    if (probes_.size() >= kMaxProbes)
        throw InputError("there are {} probes already: remove one first", kMaxProbes);
    probes_.push_back({x, y, {}, {}});
}

void Measures::remove_probe(int index) {
    if (index < 0 || std::size_t(index) >= probes_.size()) return;
    probes_.modify([&](std::vector<ProbeSeries>& probes) { probes.erase(probes.begin() + index); });
}

void Measures::add_probe_values(long long step, Solver& solver, const Observable& what) {
    if (probes_.empty()) return;
    std::vector<SamplePoint> points;
    for (const ProbeSeries& probe : probes_) points.push_back({probe.x + 0.5, probe.y + 0.5});
    const std::vector<double> values = solver.sample(what, points, false);
    probes_.modify([&](std::vector<ProbeSeries>& probes) {
        for (std::size_t i = 0; i < probes.size(); ++i) {
            ProbeSeries& probe = probes[i];
            if (!probe.steps.empty() && probe.steps.back() == step) {
                probe.values.back() = values[i];
                continue;
            }
            probe.steps.push_back(step);
            probe.values.push_back(values[i]);
            if (max_moments_ == 0 || probe.steps.size() <= max_moments_) continue;
            thin_out(probe.steps);
            thin_out(probe.values);
        }
    });
}

void Measures::rewind(long long step) {
    series_ = series_.until(step);
    rows_ = rows_.until(step);
    probes_.modify([&](std::vector<ProbeSeries>& probes) {
        for (ProbeSeries& probe : probes) {
            const auto keep = std::size_t(std::ranges::upper_bound(probe.steps, step) - probe.steps.begin());
            probe.steps.resize(keep);
            probe.values.resize(keep);
        }
    });
}

void Measures::resize(int nx, int ny) {
    probes_.modify([&](std::vector<ProbeSeries>& probes) {
        std::erase_if(probes, [&](const ProbeSeries& probe) { return probe.x >= nx || probe.y >= ny; });
    });
}

Array<double> rows_over_time(const SharedList<MeasuredRow>& rows, int width, int height) {
    Array<double> cells(width, height);
    const double first = double(rows.front().step), span = double(rows.back().step) - first;
    std::size_t row = 0;
    for (int y = 0; y < height; ++y) {
        const double step = first + span * (y + 0.5) / height;
        while (row + 1 < rows.size() && double(rows[row + 1].step) - step < step - double(rows[row].step))
            ++row;
        const std::vector<double>& values = rows[row].values;
        for (int x = 0; x < width; ++x)
            cells.at(x, y) = values[std::size_t((x + 0.5) / width * double(values.size()))];
    }
    return cells;
}

std::string statistics_csv(const Measures& measures, const TableUnits& units) {
    std::string text = "step," + units.time_head() + "min,max,mean,total,not_finite\n";
    for (const MeasuredMoment& m : measures.series()) {
        const Statistics& s = m.statistics;
        fmt::format_to(std::back_inserter(text),
                       "{},{}{},{},{},{},{}\n",
                       m.step,
                       units.time_cell(m.step),
                       s.min,
                       s.max,
                       s.mean,
                       s.total,
                       s.not_finite);
    }
    return text;
}

std::string histogram_csv(const Histogram& histogram) {
    std::string text = "low,high,cells\n";
    const double width = (histogram.range.high - histogram.range.low) / double(histogram.counts.size());
    for (std::size_t i = 0; i < histogram.counts.size(); ++i)
        fmt::format_to(std::back_inserter(text),
                       "{},{},{}\n",
                       histogram.range.low + double(i) * width,
                       histogram.range.low + double(i + 1) * width,
                       histogram.counts[i]);
    return text;
}

std::string profile_csv(std::span<const Profile> profiles, const TableUnits& units) {
    const bool several = profiles.size() > 1;
    std::string text = several ? "line," : "";
    text += with_unit("distance", units.cell.name) + "," + units.place_head() + "value\n";
    for (std::size_t number = 1; const Profile& profile : profiles) {
        const ProfileLine& line = profile.line;
        const double length = profile.distance.empty() ? 0 : profile.distance.back();
        for (std::size_t i = 0; i < profile.values.size(); ++i) {
            const double t = length > 0 ? profile.distance[i] / length : 0;
            if (several) text += fmt::format("{},", number);
            fmt::format_to(std::back_inserter(text),
                           "{},{},{},{}\n",
                           profile.distance[i] * units.cell.size,
                           units.x(line.from.x + t * (line.to.x - line.from.x)),
                           units.y(line.from.y + t * (line.to.y - line.from.y)),
                           profile.values[i]);
        }
        ++number;
    }
    return text;
}

std::string probes_csv(const Measures& measures, const TableUnits& units) {
    const auto& probes = measures.probes();
    std::string text = "probe,x,y,step," + units.time_head() + "value\n";
    for (std::size_t p = 0; p < probes.size(); ++p)
        for (std::size_t i = 0; i < probes[p].values.size(); ++i)
            fmt::format_to(std::back_inserter(text),
                           "{},{},{},{},{}{}\n",
                           p + 1,
                           probes[p].x,
                           probes[p].y,
                           probes[p].steps[i],
                           units.time_cell(probes[p].steps[i]),
                           probes[p].values[i]);
    return text;
}

}  // namespace stencil
