#include "sim/fit/fit_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/files/atomic_file.h"
#include "sim/problem/panes.h"
#include "sim/problem/run_text.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"
#include "sim/view/colormap.h"

namespace stencil::fitting {
namespace {

using Json = nlohmann::ordered_json;

struct FileNames {
    static constexpr const char *estimates = "fit.csv", *json = "fit.json", *rows = "convergence.csv",
                                *chart = "convergence.png", *fields = "residual.png", *tables = "series.png",
                                *spec = "spec.json", *text = "fitted.txt";
};

// The root mean square of the residuals.
double size_of(double cost, std::size_t values) {
    return std::sqrt(2 * cost / double(values));
}

std::string cell(double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-";
}

Json rows_of(const std::vector<double>& entries, std::size_t columns) {
    Json rows = Json::array();
    for (std::size_t i = 0; i + columns <= entries.size() && columns > 0; i += columns) {
        Json row = Json::array();
        for (std::size_t j = 0; j < columns; ++j) row.push_back(finite_or_null(entries[i + j]));
        rows.push_back(row);
    }
    return rows;
}

Field field_of(const std::vector<double>& values, Size size) {
    Array<double> cells(size.nx, size.ny);
    std::ranges::copy(values, cells.data());
    return Field(std::move(cells));
}

// Target, run and difference of each target that is a field, in rows of three panels.
std::string field_figure(const Fit& fit) {
    const RunSpec run = fit.fitted();
    const std::vector<FieldResidual> all = field_residuals(fit);
    std::vector<figure::FigurePanel> panels;
    for (const FieldResidual& one : all) {
        const Colormap &own = field_colors(run, one.formula), &signs = colormap("coolwarm");
        const auto add = [&](const std::string& title, const Field& field, const Colormap& colors) {
            panels.push_back({.title = title,
                              .field = &field,
                              .colors = &colors,
                              .range = find_range(field, {}, colors.diverging),
                              .value_label = value_label(run, one.formula)});
        };
        add("Target" + one.when, one.target, own);
        add("Fitted run", one.run, own);
        add("Difference", one.difference, signs);
        panels[panels.size() - 2].range = panels[panels.size() - 3].range;
    }
    if (panels.empty()) return "";
    return figure::figure_bytes(figure::FigureFormat::png, panels, fit.result().message, {.columns = 3});
}

// Each table's values as points, and the fitted run as lines.
std::string table_figure(const Fit& fit) {
    const auto charts = table_charts(fit);
    if (charts.empty()) return "";
    const figure::PageSize page{15 * figure::kPointsPerCm, 9 * figure::kPointsPerCm * double(charts.size())};
    return figure::chart_file(charts, fit.result().message, figure::FigureFormat::png, page);
}

}  // namespace

std::vector<FieldResidual> field_residuals(const Fit& fit) {
    const Size size = *fit.residuals().run().size;
    const auto& targets = fit.residuals().targets();
    std::vector<FieldResidual> all;
    for (std::size_t t = 0; t < targets.size(); ++t) {
        const Target& target = targets[t];
        if (target.kind != TargetKind::field) continue;
        const std::vector<double> made = fit.model_values(t);
        std::vector<double> difference = made;
        std::ranges::transform(made, target.values, difference.begin(), std::minus());
        all.push_back({t,
                       target.formula,
                       target.times.empty() ? "" : fmt::format(" at t = {}", target.times.front()),
                       field_of(target.values, size),
                       field_of(made, size),
                       field_of(difference, size)});
    }
    return all;
}

std::vector<figure::Chart> table_charts(const Fit& fit) {
    std::vector<figure::Chart> charts;
    const auto& targets = fit.residuals().targets();
    for (std::size_t t = 0; t < targets.size(); ++t) {
        const Target& target = targets[t];
        if (target.kind == TargetKind::field) continue;
        const std::vector<double> made = fit.model_values(t);
        std::map<std::pair<double, double>, std::array<figure::ChartSeries, 2>> places;
        for (std::size_t i = 0; i < target.values.size(); ++i) {
            const SamplePoint at = target.points.empty() ? SamplePoint{} : target.points[i];
            auto& [given, fitted] = places[{at.x, at.y}];
            given.points.push_back({target.times[i], target.values[i]});
            fitted.points.push_back({target.times[i], made[i]});
        }
        figure::Chart chart{
            "series", "Target and fitted run", target.by_steps ? "step" : "t", target.formula};
        for (auto& [at, both] : places) {
            const std::string where =
                target.points.empty() ? "" : fmt::format(" at {},{}", at.first, at.second);
            for (auto* series : {&both[0], &both[1]}) {
                std::ranges::sort(series->points, {}, &figure::ChartPoint::x);
                series->color = figure::series_color(chart.series.size() / 2);
                series->name = (series == &both[0] ? "target" : "fitted") + where;
                series->line = series == &both[1];
                series->markers = !series->line;
                chart.series.push_back(*series);
            }
        }
        charts.push_back(std::move(chart));
    }
    return charts;
}

figure::Chart convergence_chart(const Result& result) {
    figure::ChartSeries taken, tried;
    taken.name = "taken";
    tried.name = "not taken";
    tried.line = false;
    for (std::size_t i = 0; i < result.iterations.size(); ++i) {
        const Iteration& one = result.iterations[i];
        (one.taken ? taken : tried).points.push_back({double(i + 1), size_of(one.cost, result.values)});
    }
    figure::Chart chart{"convergence", "Convergence", "evaluation", "rms residual"};
    chart.log_y = true;
    chart.series.push_back(std::move(taken));
    if (!tried.points.empty()) chart.series.push_back(std::move(tried));
    return chart;
}

std::vector<std::string> fit_files() {
    using N = FileNames;
    return {N::estimates, N::json, N::rows, N::chart, N::fields, N::tables, N::spec, N::text};
}

std::string head_text(const std::vector<Parameter>& parameters) {
    std::string text = fmt::format("{:>10}  {:>12}", "evaluation", "rms residual");
    for (const Parameter& p : parameters) text += fmt::format("  {:>12}", p.name);
    return text + "\n";
}

std::string row_text(const Iteration& one, std::size_t number, std::size_t values) {
    std::string text = fmt::format("{:>10}  {:>12}", number, cell(size_of(one.cost, values)));
    for (const double value : one.at) text += fmt::format("  {:>12}", cell(value));
    return text + (one.taken ? "\n" : "  not taken\n");
}

std::string to_text(const Result& result) {
    std::string text = fmt::format("{}, {} evaluations\n\n", result.message, result.evaluations);
    std::size_t width = 9;
    for (const Estimate& e : result.estimates) width = std::max(width, e.parameter.name.size());
    text += fmt::format(
        "{:<{}}  {:>12}  {:>12}  {:>12}\n", "parameter", width, "estimate", "std. error", "start");
    for (const Estimate& e : result.estimates)
        text += fmt::format("{:<{}}  {:>12}  {:>12}  {:>12}{}\n",
                            e.parameter.name,
                            width,
                            cell(e.value),
                            cell(e.error),
                            cell(*e.parameter.start),
                            e.note.empty() ? "" : "  " + e.note);
    const std::size_t n = result.estimates.size();
    if (n > 1 && !result.correlation.empty()) {
        text += fmt::format("\n{:<{}}", "correlation", width + 2);
        for (const Estimate& e : result.estimates) text += fmt::format("  {:>8}", e.parameter.name);
        for (std::size_t i = 0; i < n; ++i) {
            text += fmt::format("\n{:<{}}", result.estimates[i].parameter.name, width + 2);
            for (std::size_t j = 0; j <= i; ++j) {
                const double value = result.correlation[i * n + j];
                text += fmt::format("  {:>8}", std::isfinite(value) ? fmt::format("{:.3f}", value) : "-");
            }
        }
        text += "\n";
    }
    text += fmt::format("\n{} values, ", result.values);
    if (result.noise_given)
        text +=
            fmt::format("chi-square {:.5g} of {} degrees of freedom\n", result.chi_square, result.degrees);
    else
        text += fmt::format("noise {} (estimated from the residuals)\n", cell(result.noise));
    for (const std::string& advice : result.advice) text += "note: " + advice + "\n";
    return text;
}

Json to_json(const Result& result) {
    Json estimates = Json::array(), iterations = Json::array();
    const std::size_t n = result.estimates.size();
    for (const Estimate& e : result.estimates)
        estimates.push_back({{"name", e.parameter.name},
                             {"value", finite_or_null(e.value)},
                             {"standard_error", finite_or_null(e.error)},
                             {"start", *e.parameter.start},
                             {"low", finite_or_null(e.parameter.low)},
                             {"high", finite_or_null(e.parameter.high)},
                             {"log", e.parameter.log},
                             {"note", e.note}});
    for (const Iteration& one : result.iterations)
        iterations.push_back({{"rms", finite_or_null(size_of(one.cost, result.values))},
                              {"taken", one.taken},
                              {"parameters", one.at}});
    return {{"success", result.success},
            {"message", result.message},
            {"advice", result.advice},
            {"parameters", estimates},
            {"covariance", rows_of(result.covariance, n)},
            {"correlation", rows_of(result.correlation, n)},
            {"noise", finite_or_null(result.noise)},
            {"noise_given", result.noise_given},
            {"chi_square", finite_or_null(result.chi_square)},
            {"degrees_of_freedom", result.degrees},
            {"values", result.values},
            {"evaluations", result.evaluations},
            {"runs", result.runs},
            {"exact_derivatives", result.why_differences.empty()},
            {"why_differences", result.why_differences},
            {"convergence", iterations}};
}

std::string estimates_csv(const Result& result) {
    std::string text = "parameter,estimate,standard_error,start,low,high,note\n";
    const auto number = [](double value) { return std::isfinite(value) ? format_real(value) : ""; };
    for (const Estimate& e : result.estimates)
        text += fmt::format("{},{},{},{},{},{},{}\n",
                            e.parameter.name,
                            number(e.value),
                            number(e.error),
                            number(*e.parameter.start),
                            number(e.parameter.low),
                            number(e.parameter.high),
                            e.note);
    return text;
}

std::string convergence_csv(const Result& result) {
    std::string text = "evaluation,rms,taken";
    for (const Estimate& e : result.estimates) text += "," + e.parameter.name;
    text += "\n";
    for (std::size_t i = 0; i < result.iterations.size(); ++i) {
        const Iteration& one = result.iterations[i];
        const double rms = size_of(one.cost, result.values);
        text += fmt::format("{},{},{}", i + 1, std::isfinite(rms) ? format_real(rms) : "", one.taken ? 1 : 0);
        for (const double value : one.at) text += "," + format_real(value);
        text += "\n";
    }
    return text;
}

std::vector<std::filesystem::path> write_fit(const std::filesystem::path& folder, const Fit& fit) {
    using N = FileNames;
    const Result result = fit.result();
    std::vector<std::filesystem::path> files;
    const auto put = [&](const char* name, const std::string& bytes) {
        if (bytes.empty()) return;
        write_text_file(folder / name, bytes);
        files.push_back(folder / name);
    };
    const RunSpec run = fit.fitted();
    put(N::estimates, estimates_csv(result));
    put(N::json, json_text(to_json(result)));
    put(N::rows, convergence_csv(result));
    put(N::chart, figure::chart_file(convergence_chart(result), result.message, figure::FigureFormat::png));
    put(N::fields, field_figure(fit));
    put(N::tables, table_figure(fit));
    put(N::spec, json_text(stencil::to_json(run)));
    put(N::text, text_of_run(run) + "\n");
    return files;
}

}  // namespace stencil::fitting
