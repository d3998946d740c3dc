// Running the rows of the example in one precision.
#pragma once

#include <vector>

#include "sim/examples/matmul/operands.h"
#include "sim/examples/matmul/reference.h"
#include "sim/examples/matmul/rows.h"

namespace stencil::matmul {

/// How far the example is: rows of all precisions.
struct MatmulProgress {
    int done = 0;
    int all = 0;
};

/// What all rows of a precision have in common.
template <class T>
struct MatmulRun {
    const ExampleRequest& request;
    ExampleContext& context;
    MatmulProblem problem;
    MatmulProgress& rows;
    MatmulOperands<T> operands;
    MatmulReference reference;

    /// A row of the report, still empty.
    ReportRow row(const MatmulRow& which) const;
    /// So much of the row is done. Throws Cancelled.
    void progress(double share, const ReportRow& row) const;
    /// The row is done.
    void add(ReportRow row) const;
};

/// Adds the row to the report. Throws Cancelled.
template <class T>
void run_on_cpu(const MatmulRun<T>& run, const MatmulRow& row);

/// Adds the rows to the report, those that do not fit in GPU memory in pieces. Throws MachineError where not
/// even the smallest fit, CudaError and Cancelled.
template <class T>
void run_on_gpu(const MatmulRun<T>& run, const std::vector<MatmulRow>& rows);

}  // namespace stencil::matmul
