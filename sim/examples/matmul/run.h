// Running the rows of the example in one precision.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/examples/matmul/cuda_matmul.h"
#include "sim/examples/matmul/operands.h"
#include "sim/examples/matmul/reference.h"

namespace stencil::matmul {

/// A way of multiplying that the example compares.
struct MatmulRow {
    std::string_view key;   ///< for --rows
    std::string_view name;  ///< in the report
    Device backend = Device::cuda;
    MatmulMethod method = MatmulMethod::library;  ///< on the GPU
    bool float64 = true;                          ///< there is one; all have one for float32
    bool inexact = false;
};

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
    /// The row's part begins; so much of its present call is done. Throw Cancelled.
    void begin(const ReportRow& row) const;
    void progress(double share, const ReportRow& row) const;
    /// The row, whose times are known, is done: compared, with its rates. Throws Cancelled.
    void add(ReportRow row, const MatmulResult<T>& result, MatmulLimits limits, const Rate& rate) const;
};

/// C and its sums in main memory, with no numbers in them yet.
template <class T>
struct HostProduct {
    explicit HostProduct(const MatmulShape& shape);
    /// What is compared of it, once both are there.
    MatmulResult<T> result(const MatmulRun<T>& run) &&;

    AlignedBuffer<T> c;
    std::vector<T> sums;
};

/// Adds the rows to the report, those that do not fit in GPU memory in pieces. Throws MachineError where not
/// even the smallest fit, CudaError and Cancelled.
template <class T>
void run_on_gpu(const MatmulRun<T>& run, const std::vector<MatmulRow>& rows);

}  // namespace stencil::matmul
