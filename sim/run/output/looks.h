// Derived exports of a run's end: spectrum, contour lines, surface view and phase plane. Each function is a
// row of exports() and throws MachineError.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/figure/figure.h"

namespace stencil {

struct OutputField;
struct RunOutput;

/// The arrows of --arrows over a picture of the final field; empty if none are asked for.
std::vector<figure::FigureLine> arrow_lines(const RunOutput& run, const OutputField& field);

void write_spectrum_csv(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
void write_spectrum_png(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
void write_contours_csv(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
void write_contours_svg(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
/// The view is that of --surface.
void write_surface_png(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
/// Phase plane of the first two components, with the probes' trajectories if measured.
void write_phase_csv(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
void write_phase_png(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);

}  // namespace stencil
