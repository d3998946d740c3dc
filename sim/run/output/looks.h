// Drawings and derived data of a run's end: figure, spectrum, contour lines, surface view and phase plane.
// Each function is a row of exports() and throws MachineError.
#pragma once

#include <filesystem>

#include "sim/figure/figure.h"

namespace stencil {

struct OutputField;
struct RunOutput;

/// Writes one row per field: initial and final field and Laplacian.
void write_run_figure(const std::filesystem::path& path, figure::FigureFormat format, const RunOutput& run);
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
