// The figure that a run leaves behind.
#pragma once

#include <filesystem>

#include "sim/figure/figure.h"

namespace stencil {

struct RunOutput;

/// A row of each field: start, end and Laplacian. Throws MachineError.
void write_run_figure(const std::filesystem::path& path, figure::FigureFormat format, const RunOutput& run);

}  // namespace stencil
