#include "sim/examples/ridge/ridge.h"

#include <utility>

#include "sim/examples/context.h"
#include "sim/examples/ridge/cost.h"
#include "sim/examples/ridge/problem.h"
#include "sim/examples/ridge/run.h"
#include "sim/examples/ridge/settings.h"

namespace stencil {
namespace {

constexpr DType kDtypes[] = {DType::float32};

void check(const ExampleRequest& request) {
    read_ridge_settings(request.options);
}

// The parts of so many precisions, each with its problem.
std::vector<double> parts_of(const ExampleRequest& request,
                             const ExampleContext& context,
                             const RidgeSettings& settings,
                             const RidgeSize& size,
                             std::size_t dtypes) {
    std::vector<double> parts;
    for (std::size_t i = 0; i < dtypes; ++i) {
        parts.push_back(drawing_seconds(size));
        const std::vector<double> run = ridge_parts(size, settings, request, context);
        parts.insert(parts.end(), run.begin(), run.end());
    }
    return parts;
}

void run(const ExampleRequest& request, ExampleContext& context) {
    const RidgeSettings settings = read_ridge_settings(request.options);
    const bool drawn = !request.options.given("matrix");
    RidgeSize size;
    if (drawn) {
        const RandomProblem random = random_problem(request.options);
        size = {random.rows, random.columns, random.nonzeros()};
    } else {
        size = {1000, 1000, 1000000};
    }
    context.expect(parts_of(request, context, settings, size, request.dtypes.size()));
    for (std::size_t i = 0; i < request.dtypes.size(); ++i) {
        const DType dtype = request.dtypes[i];
        context.begin_part(drawn ? "drawing the matrix" : "reading the matrix");
        const RidgeProblem problem =
            make_ridge_problem(request.options, dtype == DType::float32, [&] { context.pause(); });
        // Of a file the size is known only now; the part that has begun is not expected again.
        size = {problem.rows(), problem.columns(), problem.nonzeros()};
        const std::vector<double> parts =
            parts_of(request, context, settings, size, request.dtypes.size() - i);
        context.expect({parts.begin() + 1, parts.end()});
        for (const std::string& note : problem.notes) context.report().notes.push_back(note);
        if (problem.narrow)
            RidgeRun<float>(request, context, settings, problem.a32, problem.d).run();
        else
            RidgeRun<double>(request, context, settings, problem.a64, problem.d).run();
    }
}

}  // namespace

const Example kRidgeExample = {
    "ridge",
    "min |A x - d|^2 + c^2 |x|^2 with a sparse matrix for many c: the L-curve from one process",
    "One Golub-Kahan process serves all coefficients c, because its vectors do not depend on c; it ends once "
    "the error of every x is bounded. Afterwards any other c costs next to nothing. Vectors and sums are "
    "float64 whatever the precision of the matrix. The tutorial runs one LSMR for each c on the stacked "
    "system [A; c I], whose stopping rule leaves x wrong by some percent at small c, and plots a residual "
    "that is wrong by a broadcasting mistake; the rows of --stop lsmr follow that rule, and the plot shows "
    "both residuals.",
    ridge_options(),
    kDtypes,
    check,
    run,
};

}  // namespace stencil
