// Tables, curve and files of the ridge example.

#include <cmath>
#include <filesystem>

#include "sim/examples/ridge/l_curve.h"
#include "sim/examples/ridge/run.h"
#include "sim/files/npy.h"

namespace stencil::ridge {
namespace {

nlohmann::ordered_json number(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json("unknown");
}

ReportTable table_of(const PathResult& result, const std::string& id, const std::string& title) {
    ReportTable table;
    table.id = id;
    table.title = title;
    table.columns = {"c",
                     "|A x - d|",
                     "|x|",
                     "iterations",
                     "ended by",
                     "bound on the error of x",
                     "|g| / (|A| |r| + c^2 |x|)",
                     "broadcast residual"};
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        const RidgePoint& point = result.points[i];
        const SolutionCheck& check = result.checked[i].check;
        table.rows.push_back({point.c,
                              check.residual,
                              check.solution,
                              point.iterations,
                              name_of(point.stop),
                              number(check.bound),
                              check.gradient_share,
                              check.broadcast});
    }
    return table;
}

ReportTable further_table(std::span<const double> further,
                          const Bidiagonal& bidiagonal,
                          const FurtherBound& bound) {
    ReportTable table{"further_coefficients",
                      "Further coefficients, from the same process",
                      {"c", "|A x - d|", "|x|", "bound on the error of x"},
                      {}};
    for (const double c : further) {
        const ProjectedSolution at = bidiagonal.solve(c);
        table.rows.push_back({c, at.residual, at.solution, number(bound.at(c, at))});
    }
    return table;
}

// Those of the process; where it did not run, those of the dense normal equations.
void write_solutions(const RidgeTask& task, const RidgeResults& results) {
    if (task.request.out.empty()) return;
    const std::vector<double>& x = results.paths.empty() ? results.truth : results.paths.front().x;
    Report& report = task.context.report();
    if (x.empty()) {
        report.notes.push_back("No method came to solutions: there is no solutions.npy.");
        return;
    }
    const std::filesystem::path path = std::filesystem::path(task.request.out) / "solutions.npy";
    write_npy_array(path, {{std::int64_t(task.settings.coefficients.size()), results.columns}, x});
    report.files.push_back(path.string());
}

}  // namespace

void report_results(const RidgeTask& task, const RidgeResults& results) {
    write_solutions(task, results);
    if (results.paths.empty()) return;
    Report& report = task.context.report();
    const PathResult& result = results.paths.front();
    report.tables.push_back(table_of(result, "coefficients", "Coefficients"));
    for (std::size_t i = 1; i < results.paths.size(); ++i)
        report.tables.push_back(
            table_of(results.paths[i], "coefficients_lsmr", "Coefficients, LSMR's stopping rule"));
    const FurtherBound bound(result.checked, results.frobenius);
    if (!task.settings.further.empty())
        report.tables.push_back(further_table(task.settings.further, result.bidiagonal, bound));
    report.curves.push_back(l_curve(result.bidiagonal, result.checked));
    report.live = live_l_curve(result.bidiagonal, result.checked, bound);
    report.notes.push_back(
        "The dashed line is what a broadcasting mistake makes of the residual, as tutorials in NumPy have "
        "it: "
        "A x of shape (n,) less d of shape (n, 1) becomes an n x n matrix of all differences, and its norm "
        "is "
        "far above |A x - d| and not even monotone.");
    report.notes.push_back(
        "The bound on the error of x is |A^T (d - A x) - c^2 x| / (c^2 |x|), from fresh float64 products. "
        "At other c it adds what rounding was found to add here, eight-fold, to "
        "the gradient that the process itself tracks.");
}

}  // namespace stencil::ridge
