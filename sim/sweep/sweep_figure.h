// Phase diagrams: the pictures of a sweep's runs along the axes of its parameters, or one number as a map.
#pragma once

#include <filesystem>
#include <string>

#include "sim/figure/figure.h"
#include "sim/sweep/sweep_store.h"

namespace stencil {

/// A tile a run, x to the right and y upwards. Runs that are not finite or could not be made are magenta.
void write_sweep_pictures(const std::filesystem::path& path,
                          figure::FigureFormat format,
                          const Sweep& sweep,
                          const SweepStore& store);

/// A column of the table as a map with contours, or as a curve where one setting varies.
void write_sweep_map(const std::filesystem::path& path,
                     figure::FigureFormat format,
                     const Sweep& sweep,
                     const std::string& column);

}  // namespace stencil
