// The ridge example's rows, tables and curve for one matrix.
#pragma once

#include <vector>

#include "kernels/examples/ridge/ridge_path.h"
#include "sim/examples/context.h"
#include "sim/examples/ridge/l_curve.h"
#include "sim/examples/ridge/problem.h"

namespace stencil::ridge {

struct RidgeTask {
    const ExampleRequest& request;
    ExampleContext& context;
    const RidgeSettings& settings;
};

/// What a process found under one rule.
struct PathResult {
    bool certified = true;
    std::vector<RidgePoint> points;
    std::vector<CurvePoint> checked;  ///< the points, by fresh products
    std::vector<double> x;            ///< coefficients x columns
    Bidiagonal bidiagonal;
};

struct RidgeResults {
    std::vector<PathResult> paths;  ///< one for each rule, of the last device
    std::vector<double> truth;      ///< coefficients x columns; empty: not known
    std::int64_t columns = 0;
    double frobenius = 0;  ///< norm of A
};

/// Adds the rows. Throws MachineError where the GPU memory that is allowed does not suffice, before anything
/// is measured; CudaError, Cancelled.
RidgeResults run_ridge(const RidgeTask& task, const RidgeProblem& problem);

/// Adds tables and curve, and writes solutions.npy. Throws MachineError.
void report_results(const RidgeTask& task, const RidgeResults& results);

/// Why the dense normal equations are not solved on the device; empty where they are.
std::string why_no_cholesky(const RidgeSize& size, const RidgeTask& task, Device device);

/// Estimated seconds of drawing a random problem.
double drawing_seconds(const RidgeSize& size);

/// Estimated seconds of the parts of run_ridge(), in their order.
std::vector<double> ridge_parts(const RidgeSize& size, const RidgeTask& task);

}  // namespace stencil::ridge
