// The ways of multiplying that the example compares.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/examples/matmul/cuda_matmul.h"
#include "sim/examples/example.h"
#include "sim/examples/report/report.h"

namespace stencil::matmul {

struct MatmulRow {
    std::string_view key;   ///< for --rows
    std::string_view name;  ///< in the report
    Device backend = Device::cuda;
    MatmulMethod method = MatmulMethod::library;  ///< on the GPU
    bool float32 = true, float64 = true;          ///< that there is one
    bool inexact = false;
};

/// All of them, from the simplest to the fastest.
std::span<const MatmulRow> matmul_rows();

/// Those of --rows. Throws InputError: an unknown one, or none that works in any of the dtypes.
std::vector<MatmulRow> chosen_matmul_rows(const ExampleRequest& request);

}  // namespace stencil::matmul
