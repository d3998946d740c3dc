#include "sim/bench/suite_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/bench/speed_chart.h"
#include "sim/figure/chart.h"
#include "sim/machine/median.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;

// An overhead above this share of a step's time is reported as the limit of small fields.
constexpr double kMuch = 0.3;

double of_copy(const SuiteReport& report, const SuiteRow& row) {
    return row.speed.effective_gb_per_s / report.limits.copy_gb_per_s;
}

double of_issue(const SuiteReport& report, const SuiteRow& row) {
    return row.speed.gcells_per_s / report.limits.issue_gcells();
}

double fixed_share(const SuiteRow& row) {
    return row.timed_steps() ? std::min(row.fixed_us / row.speed.us_per_step, 1.0) : 0;
}

double ps_per_cell(const SuiteRow& row) {
    return 1e3 / row.speed.gcells_per_s;
}

// How many times as fast as the exact kernels of the same size a row of method `fast` is; 0 if they were not
// measured.
double gain_of(const SuiteReport& report, const SuiteRow& row) {
    const auto is_exact = [&](const SuiteRow& other) {
        return other.timed_steps() && other.size == row.size && other.method->device == Device::cuda &&
               !other.method->fast && other.method->model == kEquation;
    };
    const auto exact = std::ranges::find_if(report.rows, is_exact);
    if (!row.timed_steps() || !row.method->fast || exact == report.rows.end()) return 0;
    return row.speed.gcells_per_s / exact->speed.gcells_per_s;
}

std::string note_of(const SuiteReport& report, const SuiteRow& row) {
    if (!row.measured()) return row.why_not;
    std::vector<std::string> notes;
    if (const double gain = gain_of(report, row); gain > 0)
        notes.push_back(fmt::format("{:.2f} times generated", gain));
    if (!row.way.name.empty()) notes.push_back(row.way.name);
    if (!row.way.why_not.empty()) notes.push_back(row.way.why_not);
    if (row.method->jumps)
        notes.push_back(fmt::format("a jump of {} steps takes {:.4g} ms", row.steps, row.seconds * 1e3));
    if (!std::isfinite(row.error)) notes.emplace_back(kNothingLeft);
    if (std::string noise = noise_text(row.spread); !noise.empty()) notes.push_back(std::move(noise));
    if (row.power && !row.power->throttled.empty()) notes.push_back("clock lowered: " + row.power->throttled);
    if (fixed_share(row) >= kMuch)
        notes.push_back(fmt::format("on next to no cells a step takes {:.2g} us", row.fixed_us));
    return fmt::format("{}", fmt::join(notes, "; "));
}

int steps_fused(const SuiteRow& row) {
    return row.way.steps_fused.value_or(row.method->steps_fused);
}

Json row_json(const SuiteReport& report, const SuiteRow& row) {
    const RunSpec& run = report.spec.run;
    const auto speed = [&](double value) { return row.timed_steps() ? finite_or_null(value) : Json(); };
    const auto measured = [&](auto value) { return row.measured() ? Json(value) : Json(); };
    Json json;
    json["method"] = std::string(row.method->name);
    json["backend"] = run.backend;
    json["dtype"] = std::string(name_of(run.dtype));
    json["boundary"] = std::string(boundary_text(run));
    json["model"] = run.model->name;
    if (run.model->index_of(setting_name::coefficient))
        json[setting_name::coefficient] = run.parameter(setting_name::coefficient);
    json["nx"] = row.size.nx;
    json["ny"] = row.size.ny;
    json["fits"] = row.fits;
    json["jumps"] = row.method->jumps;
    json["steps_fused"] = steps_fused(row);
    json["steps"] = measured(row.steps);
    json["repeats"] = measured(row.repeats);
    json["seconds"] = measured(row.seconds);
    json["spread"] = measured(row.spread);
    json["us_per_step"] = speed(row.speed.us_per_step);
    json["gcells_per_s"] = speed(row.speed.gcells_per_s);
    json["effective_gb_per_s"] = speed(row.speed.effective_gb_per_s);
    json["of_copy_bandwidth"] = speed(of_copy(report, row));
    json["of_issue_limit"] = speed(of_issue(report, row));
    if (report.spec.sweep) {
        json["ps_per_cell"] = speed(ps_per_cell(row));
        json["fixed_us"] = speed(row.fixed_us);
    }
    json["clock_mhz"] = row.power ? Json(row.power->clock_mhz) : Json();
    json["watts"] = row.power ? Json(row.power->watts) : Json();
    json["joules_per_gcell"] = row.power && row.timed_steps() ? Json(row.joules_per_gcell()) : Json();
    json["throttled"] = row.power ? Json(row.power->throttled) : Json();
    if (run.is_general()) json["gain"] = gain_of(report, row) > 0 ? Json(gain_of(report, row)) : Json();
    json["total_steps"] = measured(row.total_steps);
    json["error"] = row.measured() ? finite_or_null(row.error) : Json();
    json["truth"] = measured(row.truth + " in float64");
    json["truth_error"] = measured(row.truth_error);
    json["note"] = note_of(report, row);
    return json;
}

std::string share_text(double share) {
    return fmt::format("{:.{}f}%", 100 * share, share < 0.0995 ? 1 : 0);
}

std::string fused_text(const SuiteRow& row) {
    if (row.method->jumps) return "-";
    return steps_fused(row) == 0 ? "all" : std::to_string(steps_fused(row));
}

bool has_power(const SuiteReport& report) {
    return device_of(report.spec) == Device::cuda && why_no_nvml().empty();
}

// Formats four significant digits without exponent.
std::string figures(double value) {
    const int decimals = value > 0 ? std::max(0, 3 - int(std::floor(std::log10(value)))) : 0;
    return fmt::format("{:.{}f}", value, std::min(decimals, 4));
}

std::string power_text(const SuiteRow& row) {
    if (!row.power) return fmt::format(" {:>5} {:>5} {:>8}", "-", "-", "-");
    return fmt::format(" {:>5.0f} {:>5.0f} {:>8}",
                       row.power->clock_mhz,
                       row.power->watts,
                       row.timed_steps() ? figures(row.joules_per_gcell()) : "-");
}

std::string note_of(const SuiteReport& report) {
    const RunSpec& run = report.spec.run;
    return fmt::format("{}, {} boundary{}; copies {:.4g} GB/s; stencilscope {}",
                       name_of(run.dtype),
                       name_of(run.boundary),
                       parameter_text(run),
                       report.limits.copy_gb_per_s,
                       STENCILSCOPE_VERSION);
}

// Makes a dot chart for a single size.
figure::DotChart dots_of(const SuiteReport& report) {
    const Size size = report.spec.sizes.front();
    figure::DotChart chart{"", fmt::format("GCells/s on {}x{} cells, logarithmic", size.nx, size.ny)};
    for (const SuiteRow& row : report.rows)
        if (row.timed_steps())
            chart.rows.push_back(
                {"",
                 std::string(row.method->name),
                 row.speed.gcells_per_s,
                 fmt::format("{:.4g}", row.speed.gcells_per_s) +
                     (row.power ? fmt::format(", {} J/Gcell", figures(row.joules_per_gcell())) : ""),
                 method_color(*row.method)});
    chart.limits = speed_limits(report.limits, report.spec.run.dtype);
    return chart;
}

struct Pair {
    const Method* method;
    double edge, us_per_step, us_single;
};

std::vector<Pair> pairs_of(const PrecisionRows& rows) {
    std::vector<Pair> pairs;
    for (const SuiteRow& row : rows.long_calls) {
        if (!row.timed_steps()) continue;
        for (const SuiteRow& single : rows.single_steps)
            if (single.timed_steps() && single.method == row.method && single.size == row.size)
                pairs.push_back({row.method,
                                 std::sqrt(row.cells()),
                                 row.speed.us_per_step,
                                 std::max(single.speed.us_per_step, row.speed.us_per_step)});
    }
    std::ranges::stable_sort(pairs, {}, &Pair::edge);
    return pairs;
}

// Estimates the overhead of a call: the least that a step in a call of its own takes longer than a step among
// many. Methods that fuse steps are left out, because a call of one step is other work for them.
double call_cost(const std::vector<Pair>& pairs) {
    double least = 0;
    bool found = false;
    for (const Pair& pair : pairs) {
        if (pair.method->steps_fused != 1) continue;
        const double cost = pair.us_single - pair.us_per_step;
        if (!found || cost < least) least = cost;
        found = true;
    }
    return least;
}

}  // namespace

SuiteReport make_report(const Suite& suite, const Machine& machine) {
    const SuiteSpec& spec = suite.spec();
    return {device_name(machine, device_of(spec), spec.run.threads),
            spec,
            suite.limits(),
            suite.rows(),
            !suite.done()};
}

Json to_json(const SuiteReport& report) {
    Json json = program_json();
    json["device"] = report.device;
    json["backend"] = report.spec.run.backend;
    json["threads"] = report.spec.run.threads;
    json["seed"] = report.spec.run.seed;
    json["initial"] = report.spec.run.initial;
    json["model"] = report.spec.run.model->name;
    json["model_text"] = report.spec.run.model->text;
    json["dt"] = report.spec.run.time_step();
    json["interrupted"] = report.interrupted;
    json["limits"] = {
        {"copy_gb_per_s", report.limits.copy_gb_per_s},
        {"l2_gb_per_s", report.limits.l2_gb_per_s > 0 ? Json(report.limits.l2_gb_per_s) : Json()},
        {"instructions_per_second", report.limits.instructions_per_second},
        {"instructions_per_cell", report.limits.instructions_per_cell},
        {"copy_gcells_per_s", report.limits.copy_gcells(report.spec.run.dtype)},
        {"issue_gcells_per_s", report.limits.issue_gcells()}};
    json["rows"] = Json::array();
    for (const SuiteRow& row : report.rows) json["rows"].push_back(row_json(report, row));
    if (!report.profiles.empty()) json["profile"] = to_json(report.profiles);
    return json;
}

std::string intro_text(const SuiteReport& report) {
    const RunSpec& run = report.spec.run;
    return fmt::format(
        "{}, {}, {} boundary{}, from {} (seed {})\ncopies {:.4g} GB/s: {:.4g} GCells/s at one step per "
        "pass; arithmetic {}: {:.4g} GCells/s at {} per cell\n",
        report.device,
        name_of(run.dtype),
        boundary_text(run),
        parameter_text(run),
        run.initial.empty() ? run.model->name + "'s initial condition" : run.initial,
        run.seed,
        report.limits.copy_gb_per_s,
        report.limits.copy_gcells(run.dtype),
        report.limits.instruction_rate(),
        report.limits.issue_gcells(),
        report.limits.instructions_per_cell);
}

std::string header_text(const SuiteReport& report) {
    return fmt::format("{:<10} {:>11} {:>9} {:>6} {:>8} {:>8} {:>7} {:>8} {:>5}{}{}  {:>7}  {}\n",
                       "method",
                       "size",
                       "us/step",
                       "spread",
                       "GCells/s",
                       "GB/s",
                       "of copy",
                       "of arith",
                       "fused",
                       report.spec.sweep ? fmt::format(" {:>8} {:>9}", "ps/cell", "fits") : "",
                       has_power(report) ? fmt::format(" {:>5} {:>5} {:>8}", "MHz", "W", "J/Gcell") : "",
                       "error",
                       "after, against");
}

std::string row_text(const SuiteReport& report, const SuiteRow& row) {
    const std::string size = fmt::format("{}x{}", row.size.nx, row.size.ny);
    if (!row.measured()) return fmt::format("{:<10} {:>11} {}\n", row.method->name, size, row.why_not);
    const bool timed = row.timed_steps();
    const auto or_dash = [&](std::string text) { return timed ? text : std::string("-"); };
    const std::string note = note_of(report, row);
    return fmt::format(
        "{:<10} {:>11} {:>9} {:>6} {:>8} {:>8} {:>7} {:>8} {:>5}{}{}  {:>7}  {} steps, {}{}\n",
        row.method->name,
        size,
        or_dash(figures(row.speed.us_per_step)),
        share_text(row.spread),
        or_dash(figures(row.speed.gcells_per_s)),
        or_dash(figures(row.speed.effective_gb_per_s)),
        or_dash(share_text(of_copy(report, row))),
        or_dash(share_text(of_issue(report, row))),
        fused_text(row),
        report.spec.sweep ? fmt::format(" {:>8} {:>9}", or_dash(figures(ps_per_cell(row))), row.fits) : "",
        has_power(report) ? power_text(row) : "",
        std::isfinite(row.error) ? fmt::format("{:.1e}", row.error) : "-",
        row.total_steps,
        row.truth,
        note.empty() ? "" : "; " + note);
}

std::string draw(const SuiteReport& report, figure::FigureFormat format) {
    const auto file = [&](auto chart) {
        chart.title = fmt::format("Methods on {}", report.device);
        return figure::chart_file(chart, note_of(report), format);
    };
    if (report.spec.sizes.size() == 1) return file(dots_of(report));
    return file(speed_chart(speeds_of(report.rows), report.limits, report.spec.run.dtype));
}

std::string draw_roofline(const SuiteReport& report, figure::FigureFormat format) {
    figure::Chart chart = roofline_chart(speeds_of(report.rows), report.limits, report.spec.run.dtype);
    if (chart.series.empty()) return "";
    chart.title = fmt::format("Roofline of {}", report.device);
    return figure::chart_file(chart, note_of(report), format);
}

std::vector<MeasuredMethod> measured_methods(const std::vector<PrecisionRows>& rows) {
    std::vector<MeasuredMethod> result;
    for (const PrecisionRows& precision : rows) {
        const std::vector<Pair> pairs = pairs_of(precision);
        const double call = call_cost(pairs);
        for (const Method& method : methods()) {
            MeasuredMethod measured{std::string(method.name), bytes_of(precision.dtype), call, 1, 1, {}};
            for (const Pair& pair : pairs) {
                if (pair.method != &method) continue;
                if (!measured.speeds.empty() && pair.edge <= measured.speeds.back().edge) continue;
                measured.speeds.push_back(
                    {pair.edge, pair.us_per_step, std::max(pair.us_single - call, pair.us_per_step)});
            }
            if (!measured.speeds.empty()) result.push_back(std::move(measured));
        }
    }
    return result;
}

}  // namespace stencil
