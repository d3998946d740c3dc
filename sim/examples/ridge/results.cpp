// Tables, curve and files of the ridge example.

#include <cmath>
#include <filesystem>
#include <limits>

#include "sim/examples/ridge/l_curve.h"
#include "sim/examples/ridge/run.h"
#include "sim/files/npy.h"

namespace stencil {
namespace {

nlohmann::ordered_json number(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json("unknown");
}

}  // namespace

template <class T>
void RidgeRun<T>::report_table(const PathResult& result, const std::string& id, const std::string& title) {
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
                     "tutorial's residual"};
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
    context_.report().tables.push_back(std::move(table));
}

template <class T>
void RidgeRun<T>::report_further(const FurtherBound& bound) {
    if (settings_.further.empty()) return;
    ReportTable table;
    table.id = "further_coefficients";
    table.title = "Further coefficients, from the same process";
    table.columns = {"c", "|A x - d|", "|x|", "bound on the error of x"};
    for (const double c : settings_.further) {
        const ProjectedSolution at = results_.front().bidiagonal.solve(c);
        table.rows.push_back({c, at.residual, at.solution, number(bound.at(c, at))});
    }
    context_.report().tables.push_back(std::move(table));
}

// Those of the process; where it did not run, those of the dense normal equations.
template <class T>
void RidgeRun<T>::write_solutions() {
    if (request_.out.empty()) return;
    const std::vector<double>& x = results_.empty() ? truth_ : results_.front().x;
    if (x.empty()) {
        context_.report().notes.push_back("No method came to solutions: there is no solutions.npy.");
        return;
    }
    const std::filesystem::path path = std::filesystem::path(request_.out) / "solutions.npy";
    write_npy_array(path, {{std::int64_t(settings_.coefficients.size()), a_.columns}, x});
    context_.report().files.push_back(path.string());
}

template <class T>
void RidgeRun<T>::report_results() {
    write_solutions();
    if (results_.empty()) return;
    const PathResult& result = results_.front();
    report_table(result, "coefficients", "Coefficients");
    for (std::size_t i = 1; i < results_.size(); ++i)
        report_table(results_[i], "coefficients_lsmr", "Coefficients, LSMR's stopping rule");
    const FurtherBound bound(result.checked, checker_.frobenius());
    report_further(bound);
    Report& report = context_.report();
    report.curves.push_back(l_curve(result.bidiagonal, result.checked));
    report.live = live_l_curve(result.bidiagonal, result.checked, bound);
    report.notes.push_back(
        "The tutorial plots another residual: there, A x of shape (n,) less d of shape (n, 1) becomes an n x "
        "n matrix of all differences, and its norm (the dashed line) is far above |A x - d| and not even "
        "monotone.");
    report.notes.push_back(
        "The bound on the error of x is |A^T (d - A x) - c^2 x| / (c^2 |x|), from fresh float64 products. "
        "At other c it adds what rounding was found to add here, eight-fold, to "
        "the gradient that the process itself tracks.");
}

template void RidgeRun<float>::report_results();
template void RidgeRun<double>::report_results();

}  // namespace stencil
