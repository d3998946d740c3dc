// The ridge example's options, read and checked.
#pragma once

#include <string>
#include <vector>

#include "kernels/examples/ridge/ridge_path.h"
#include "sim/examples/example.h"

namespace stencil {

/// The example's options, for its row in the table.
std::span<const ExampleOption> ridge_options();

struct RidgeSettings {
    std::vector<double> coefficients;  ///< ascending
    std::vector<double> further;       ///< of --at
    double tolerance = 1e-6;
    bool certified = true;  ///< rows with the certificate
    bool lsmr = false;      ///< rows with LSMR's own rule
    /// "auto" or "all"; otherwise those named.
    bool automatic = true;
    bool process = true, cholesky = true;
};

/// Throws InputError.
RidgeSettings read_ridge_settings(const OptionValues& options);

}  // namespace stencil
