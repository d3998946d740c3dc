// The figure of a run.
#pragma once

#include <filesystem>

#include "sim/figure/figure.h"

namespace stencil {

struct RunOutput;

/// Writes one row per field: initial and final field and Laplacian. Throws MachineError.
void write_run_figure(const std::filesystem::path& path, figure::FigureFormat format, const RunOutput& run);

}  // namespace stencil
