#include "sim/run/output/dispersion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "sim/model/equations.h"
#include "sim/model/stability/step_matrix.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/start.h"
#include "sim/run/output/fastest_wave.h"

namespace stencil {
namespace {

using equation::Complex;
using Wave = DispersionRelation::Wave;

constexpr int kWaves = 256;
constexpr double kShownDecay = 2;      // relative to the largest growth
constexpr double kShownFrequency = 8;  // the same for the dashed lines, which may leave the plot
constexpr double kRoundingShare = 1e-12;
constexpr double kNoise = 1e-9;  // relative growth that counts as none
constexpr double kMargin = 1.15;
constexpr double kYRoom = 4.5;
constexpr Rgb kMarkColor = {128, 128, 128};

// Whether they are conjugates, but for rounding.
bool is_pair(const Complex& a, const Complex& b) {
    return a.imag() != 0 && std::abs(a - std::conj(b)) <= kNoise * std::abs(a);
}

/// The equations at one state, whose rates are asked for wave by wave.
class RatesOf {
  public:
    equation::BaseState base;

    RatesOf(const RunSpec& now, const std::vector<double>& means, double time)
        : plans_(planned_equations(now)), equations_(plans_->equations()) {
        state_.components = means;
        state_.parameters = now.parameters;
        state_.spacing = now.dx;
        state_.dt = now.time_step();
        state_.nx = now.size->nx;
        state_.ny = now.size->ny;
        state_.x = state_.nx * state_.spacing / 2;
        state_.y = state_.ny * state_.spacing / 2;
        state_.t = time;
        base = equation::steady_state(equations_, state_);
        state_.components = base.components;
        rates_ = equation::dispersion_of(equations_, state_);
    }

    double largest_k() const { return std::numbers::pi / state_.spacing; }

    // Rounding gives real rates a frequency, and decides the order of conjugates: the positive one is first.
    std::vector<Complex> at(double k) const {
        auto rates = rates_(k * state_.spacing);
        double scale = 0;
        for (const Complex& rate : rates) scale = std::max(scale, std::abs(rate));
        for (Complex& rate : rates)
            if (std::abs(rate.imag()) <= kRoundingShare * scale) rate.imag(0);
        for (std::size_t i = 1; i < rates.size(); ++i) {
            Complex &a = rates[i - 1], &b = rates[i];
            if (is_pair(a, b) && a.imag() < 0) std::swap(a, b);
        }
        return rates;
    }

    WaveRates up_to(double end) const {
        WaveRates rates;
        for (int i = 0; i <= kWaves; ++i) {
            rates.k.push_back(end * i / kWaves);
            const auto own = at(rates.k.back());
            rates.branches.resize(own.size());
            for (std::size_t b = 0; b < own.size(); ++b) rates.branches[b].push_back(own[b]);
        }
        return rates;
    }

    // Refines the largest growth between two wave numbers by golden sections.
    double refined(double low, double high) const {
        constexpr int kSections = 40;
        const double share = 1 / std::numbers::phi;
        const auto growth = [&](double k) { return at(k).front().real(); };
        double a = high - share * (high - low), b = low + share * (high - low);
        double at_a = growth(a), at_b = growth(b);
        for (int i = 0; i < kSections; ++i) {
            if (at_a < at_b) {
                low = std::exchange(a, b);
                at_a = std::exchange(at_b, growth(b = low + share * (high - low)));
            } else {
                high = std::exchange(b, a);
                at_b = std::exchange(at_a, growth(a = high - share * (high - low)));
            }
        }
        return (low + high) / 2;
    }

  private:
    std::shared_ptr<const PlannedEquations> plans_;
    const equation::Equations& equations_;
    equation::UniformState state_;
    equation::Dispersion rates_;  ///< by radians per cell
};

double growth_at(const WaveRates& rates, std::size_t i) {
    return rates.branches.front()[i].real();
}

std::optional<Wave> fastest_wave(const WaveRates& all, const RatesOf& rates) {
    double scale = 0, most = -std::numeric_limits<double>::infinity();
    std::size_t best = 0;
    for (std::size_t i = 0; i < all.k.size(); ++i) {
        for (const auto& branch : all.branches) scale = std::max(scale, std::abs(branch[i]));
        if (growth_at(all, i) > most) {
            most = growth_at(all, i);
            best = i;
        }
    }
    if (!(most > kNoise * scale) || !std::isfinite(scale)) return std::nullopt;
    const std::size_t before = best > 0 ? best - 1 : 0, after = std::min(best + 1, all.k.size() - 1);
    double k = rates.refined(all.k[before], all.k[after]);
    Complex value = rates.at(k).front();
    // The ends of the axis are reached only in the limit.
    if (value.real() <= most * (1 + kNoise)) {
        k = all.k[best];
        value = all.branches.front()[best];
    }
    return Wave{k, value.real(), std::abs(value.imag())};
}

double telling_end(const WaveRates& all, const std::optional<Wave>& fastest) {
    if (!fastest) return all.k.back();
    std::size_t last = 0;
    for (std::size_t i = 0; i < all.k.size(); ++i)
        if (growth_at(all, i) >= -kShownDecay * fastest->rate) last = i + 1;
    const double end = std::max(all.k[std::min(last, all.k.size() - 1)], 2 * fastest->k);
    return std::min(end, all.k.back());
}

// Cuts a curve at the ends of the axis, which it meets there.
void add_within(figure::ChartSeries& series, const ValueRange& range, double x, double y) {
    const auto cut = [&](const figure::ChartPoint& from, const figure::ChartPoint& to) {
        const double edge = std::min(from.y, to.y) < range.low ? range.low : range.high;
        return figure::ChartPoint{std::lerp(from.x, to.x, (edge - from.y) / (to.y - from.y)), edge};
    };
    constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
    const auto inside = [&](double value) { return value >= range.low && value <= range.high; };
    auto& points = series.points;
    // The last point may lie outside: it is kept until the next one tells where the curve enters.
    if (!points.empty() && !inside(points.back().y) && std::isfinite(points.back().y)) {
        const figure::ChartPoint outside = points.back();
        points.pop_back();
        points.push_back({outside.x, kGap});
        if (inside(y)) points.push_back(cut(outside, {x, y}));
    } else if (!points.empty() && std::isfinite(points.back().y) && std::isfinite(y) && !inside(y)) {
        points.push_back(cut(points.back(), {x, y}));
    }
    points.push_back({x, y});
}

void finish_within(figure::ChartSeries& series, const ValueRange& range) {
    if (!series.points.empty() &&
        !(series.points.back().y >= range.low && series.points.back().y <= range.high))
        series.points.pop_back();
}

// The y axis, in the run's own times.
ValueRange shown_rates(const DispersionRelation& relation) {
    const WaveRates& rates = relation.telling;
    double least = 0, frequency = 0;
    for (std::size_t i = 0; i < rates.k.size(); ++i)
        if (std::isfinite(growth_at(rates, i))) least = std::min(least, growth_at(rates, i));
    const double largest = relation.fastest ? relation.fastest->rate : -least / kShownFrequency;
    const double low = relation.fastest ? -kShownDecay * largest : kMargin * least;
    for (const auto& branch : rates.branches)
        for (const Complex& rate : branch)
            if (rate.real() >= low && std::isfinite(rate.imag()))
                frequency = std::max(frequency, std::abs(rate.imag()));
    const double high = std::max(relation.fastest ? 1.6 * largest : -0.1 * low,
                                 kMargin * std::min(frequency, kShownFrequency * largest));
    return low < high ? ValueRange{low, high} : ValueRange{-1, 1};
}

std::string unit_label(const std::string& of, const std::string& unit) {
    return unit.empty() ? of : fmt::format("{} (1/{})", of, unit);
}

// A vertical line at the fastest growing wave.
void mark_fastest(figure::Chart& chart, const DispersionRelation& relation, double scale) {
    if (!relation.fastest || relation.fastest->k == 0) return;
    const double k = relation.fastest->k * scale;
    figure::ChartSeries line{"", {{k, chart.y_range->low}, {k, chart.y_range->high}}, true, false, true};
    line.color = kMarkColor;
    chart.series.insert(chart.series.begin(), std::move(line));
}

}  // namespace

std::string why_no_dispersion(const RunSpec& spec) {
    if (std::ranges::none_of(spec.model->equations->components, &equation::Evolving::rate))
        return "the model gives the next value outright, and small waves have no growth rates";
    return "";
}

double DispersionRelation::Wave::length() const {
    return k > 0 ? 2 * std::numbers::pi / k : std::numeric_limits<double>::infinity();
}

std::string DispersionRelation::text(const RunSpec& now) const {
    if (!fastest) return "No wave grows";
    const auto in = [](const Unit& unit) { return unit.given() ? " " + unit.name : ""; };
    const auto per = [](const Unit& unit) { return unit.given() ? "/" + unit.name : ""; };
    const double length = now.unit_length.size, time = now.unit_time.size;
    std::string text = fmt::format("k = {:.4g}{}", fastest->k / length, per(now.unit_length));
    if (fastest->k > 0)
        text += fmt::format(", wavelength {:.4g}{}", fastest->length() * length, in(now.unit_length));
    text += fmt::format(", rate {:.4g}{}", fastest->rate / time, per(now.unit_time));
    if (fastest->frequency > kNoise * fastest->rate)
        text += fmt::format(", frequency {:.4g}{}", fastest->frequency / time, per(now.unit_time));
    return text;
}

std::string DispersionRelation::about(const RunSpec& now) const {
    constexpr std::size_t kMost = 6;
    std::string values;
    for (std::size_t i = 0; i < std::min(base.components.size(), kMost); ++i)
        values += fmt::format(
            "{}{} = {:.4g}", i > 0 ? ", " : "", now.model->components[i].name, base.components[i]);
    if (base.components.size() > kMost) values += ", ...";
    if (base.steady) return "about " + values;
    if (base.residual == 0)
        return fmt::format("about the mean {}; the mean is no steady state at every place and time", values);
    return fmt::format("about the mean {}; the mean is no steady state: |f| = {:.2g}", values, base.residual);
}

DispersionRelation dispersion_relation(const RunSpec& now, const std::vector<double>& means, double time) {
    const RatesOf rates(now, means, time);
    DispersionRelation relation{rates.base, rates.up_to(rates.largest_k()), {}, {}};
    relation.fastest = fastest_wave(relation.all, rates);
    relation.telling = rates.up_to(telling_end(relation.all, relation.fastest));
    return relation;
}

std::optional<Wave> fastest_wave(const RunSpec& now, const std::vector<double>& means, double time) {
    const RatesOf rates(now, means, time);
    return fastest_wave(rates.up_to(rates.largest_k()), rates);
}

std::string dispersion_csv(const DispersionRelation& relation, const RunSpec& now) {
    const WaveRates& rates = relation.all;
    std::string text = "k", base;
    for (std::size_t b = 1; b <= rates.branches.size(); ++b)
        text += fmt::format(",rate_{},frequency_{}", b, b);
    for (std::size_t c = 0; c < relation.base.components.size(); ++c) {
        text += "," + now.model->components[c].name;
        base += fmt::format(",{}", relation.base.components[c]);
    }
    text += ",residual\n";
    base += fmt::format(",{}\n", relation.base.residual);
    for (std::size_t i = 0; i < rates.k.size(); ++i) {
        text += fmt::format("{}", rates.k[i]);
        for (const auto& branch : rates.branches)
            text += fmt::format(",{},{}", branch[i].real(), branch[i].imag());
        text += base;
    }
    return text;
}

figure::Chart dispersion_chart(const DispersionRelation& relation, const RunSpec& now) {
    const double per_length = 1 / now.unit_length.size, per_time = 1 / now.unit_time.size;
    const WaveRates& rates = relation.telling;
    ValueRange shown = shown_rates(relation);
    shown.low *= per_time;
    shown.high *= per_time;
    figure::Chart chart{
        "dispersion", "Dispersion relation", unit_label("Wave number k", now.unit_length.name), ""};
    chart.x_range = ValueRange{0, rates.k.back() * per_length};
    chart.y_range = shown;
    chart.y_room = kYRoom;
    chart.limits.push_back({"", 0});
    const auto add = [&](std::string name, std::size_t branch, bool dashed, const auto& value) {
        figure::ChartSeries curve{std::move(name), {}, true, false, dashed};
        curve.color = figure::series_color(branch);
        for (std::size_t i = 0; i < rates.k.size(); ++i)
            add_within(curve, shown, rates.k[i] * per_length, value(branch, i) * per_time);
        finish_within(curve, shown);
        if (std::ranges::any_of(curve.points, [](const auto& point) { return std::isfinite(point.y); }))
            chart.series.push_back(std::move(curve));
    };
    const bool several = rates.branches.size() > 1;
    const auto name = [&](const char* part, std::size_t b) {
        return several ? fmt::format("{} {}", part, b + 1) : std::string(part);
    };
    for (std::size_t b = 0; b < rates.branches.size(); ++b)
        add(name("Re", b), b, false, [&](std::size_t of, std::size_t i) {
            return rates.branches[of][i].real();
        });
    const std::size_t solid = chart.series.size();
    // Frequencies of decayed waves are cut off with them; those of a pair of conjugates are one curve.
    const double low = shown.low / per_time;
    for (std::size_t b = 0; b < rates.branches.size(); ++b)
        add(name("Im", b), b, true, [&](std::size_t of, std::size_t i) {
            const Complex rate = rates.branches[of][i];
            const bool second = of > 0 && is_pair(rates.branches[of - 1][i], rate);
            const bool drawn = rate.imag() != 0 && rate.real() >= low && !second;
            return drawn ? std::abs(rate.imag()) : std::numeric_limits<double>::quiet_NaN();
        });
    chart.y_label = unit_label(chart.series.size() > solid ? "Growth rate, frequency" : "Growth rate",
                               now.unit_time.name);
    if (relation.fastest) {
        figure::ChartPoint peak{
            relation.fastest->k * per_length, relation.fastest->rate * per_time, relation.text(now), true};
        figure::ChartSeries mark{"", {std::move(peak)}, false, true};
        mark.color = figure::series_color(0);
        chart.series.push_back(std::move(mark));
    }
    mark_fastest(chart, relation, per_length);
    return chart;
}

figure::Chart dispersion_spectrum(const DispersionRelation& relation,
                                  const RadialSpectrum& spectrum,
                                  const std::string& of,
                                  const RunSpec& now) {
    const double per_length = 1 / now.unit_length.size;
    const double end = relation.telling.k.back();
    figure::Chart chart = spectrum_chart(spectrum, of);
    chart.x_label = unit_label("Wave number k", now.unit_length.name);
    chart.y_label = "Power of " + of;
    chart.log_x = false;
    chart.x_range = ValueRange{0, end * per_length};
    chart.y_room = kYRoom;
    figure::ChartSeries& curve = chart.series.front();
    curve.color = figure::series_color(0);
    std::erase_if(curve.points, [&](const figure::ChartPoint& point) { return point.x > end; });
    for (figure::ChartPoint& point : curve.points) point.x *= per_length;
    const auto peak = std::ranges::max_element(curve.points, {}, &figure::ChartPoint::y);
    if (peak != curve.points.end()) {
        std::string told = fmt::format("peak: k = {:.4g}", peak->x);
        if (peak->x > 0)
            told += fmt::format(", wavelength {:.4g}", 2 * std::numbers::pi / peak->x) +
                    (now.unit_length.given() ? " " + now.unit_length.name : "");
        figure::ChartPoint mark{peak->x, peak->y, std::move(told), true};
        figure::ChartSeries top{"", {std::move(mark)}, false, true};
        top.color = figure::series_color(0);
        chart.series.push_back(std::move(top));
    }
    chart.y_range = axes_of(chart).y.range;
    mark_fastest(chart, relation, per_length);
    return chart;
}

}  // namespace stencil
