// Files that show the end of a run in other ways than as a picture: its spectrum, contours as lines, a
// surface, and its cells in the plane of two components. Each writes one row of exports() and throws
// MachineError.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/figure/figure.h"

namespace stencil {

struct OutputField;
struct RunOutput;

/// Of --arrows, over a picture of the field's end; none where there are none.
std::vector<figure::FigureLine> arrow_lines(const RunOutput& run, const OutputField& field);

void write_spectrum_csv(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
void write_spectrum_png(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
void write_contours_csv(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
void write_contours_svg(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
/// From where --surface says.
void write_surface_png(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
/// Of the first two components, with the ways of the probes where they were measured.
void write_phase_csv(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
void write_phase_png(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);

}  // namespace stencil
