// Running the rows of the example in one precision.
#pragma once

#include <vector>

#include "sim/examples/matmul/operands.h"
#include "sim/examples/matmul/reference.h"
#include "sim/examples/matmul/rows.h"

namespace stencil {

/// What all rows of a precision have in common.
template <class T>
struct MatmulRun {
    const ExampleRequest& request;
    ExampleContext& context;
    MatmulProblem problem;
    MatmulOperands<T> operands;
    MatmulReference reference;

    /// A row of the report, still empty.
    ReportRow row(const MatmulRow& which) const;
};

/// Adds the row to the report. Throws Cancelled.
template <class T>
void run_on_cpu(const MatmulRun<T>& run, const MatmulRow& row);

/// Adds the rows to the report, those that do not fit in GPU memory in pieces. Throws MachineError where not
/// even the smallest fit, CudaError and Cancelled.
template <class T>
void run_on_gpu(const MatmulRun<T>& run, const std::vector<MatmulRow>& rows);

}  // namespace stencil
