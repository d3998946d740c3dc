#include <algorithm>
#include <iterator>

#include "sim/examples/ridge/run.h"
#include "sim/examples/table.h"

namespace stencil::ridge {
namespace {

constexpr DType kDtypes[] = {DType::float32};

void check(const ExampleRequest& request) {
    read_ridge_settings(request.options);
}

// The parts of so many precisions, each with its problem.
std::vector<double> parts_of(const RidgeTask& task, const RidgeSize& size, std::size_t dtypes) {
    std::vector<double> one{drawing_seconds(size)}, all;
    std::ranges::copy(ridge_parts(size, task), std::back_inserter(one));
    for (std::size_t i = 0; i < dtypes; ++i) all.insert(all.end(), one.begin(), one.end());
    return all;
}

void run(const ExampleRequest& request, ExampleContext& context) {
    const RidgeSettings settings = read_ridge_settings(request.options);
    const RidgeTask task{request, context, settings};
    const bool drawn = !request.options.given("matrix");
    const RandomProblem random = random_problem(request.options);
    RidgeSize size{1000, 1000, 1000000};
    if (drawn) size = {random.rows, random.columns, random.nonzeros()};
    context.expect(parts_of(task, size, request.dtypes.size()));
    for (std::size_t i = 0; i < request.dtypes.size(); ++i) {
        context.begin_part(drawn ? "drawing the matrix" : "reading the matrix");
        const RidgeProblem problem = make_ridge_problem(
            request.options, request.dtypes[i] == DType::float32, [&] { context.pause(); });
        // Of a file the size is known only now; the part that has begun is not expected again.
        const std::vector<double> parts = parts_of(task, problem.size(), request.dtypes.size() - i);
        context.expect({parts.begin() + 1, parts.end()});
        for (const std::string& note : problem.notes) context.report().notes.push_back(note);
        report_results(task, run_ridge(task, problem));
    }
}

}  // namespace

const Example kRidgeExample = {
    "ridge",
    "min |A x - d|^2 + c^2 |x|^2 with a sparse matrix for many c: the L-curve from one process",
    "One Golub-Kahan process serves all coefficients c, because its vectors do not depend on c; it ends once "
    "the error of every x is bounded. Afterwards any other c costs next to nothing. Vectors and sums are "
    "float64 whatever the precision of the matrix. Usual code runs one LSMR for each c on the stacked "
    "system [A; c I], whose stopping rule leaves x wrong by some percent at small c, and often plots a "
    "residual "
    "that is wrong by a broadcasting mistake; the rows of --stop lsmr follow that rule, and the plot shows "
    "both residuals.",
    ridge_options(),
    kDtypes,
    check,
    run,
};

}  // namespace stencil::ridge
