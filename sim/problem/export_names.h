// The files that --export names. A new one is a row here and its writer, in sim/run/output/exports.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

struct Model;

/// A kind of file; with several fields there is one per field, such as field-u.npy.
struct Export {
    std::string_view name;
    bool standard;  ///< written by default
    std::string_view help;
    bool of_run = false;  ///< one file for the whole run
    /// The setting or library that the file needs; empty: none.
    std::string_view needs = {};
};

inline constexpr bool kOfRun = true;
inline constexpr std::string_view kRates = "rates of change";

inline constexpr Export kExports[] = {
    {"initial.npy", true, "the field at the start"},
    {"field.npy", true, "the field at the end"},
    {"laplacian.npy", true, "its Laplacian"},
    {"field.png", true, "the field at the end, one pixel per cell"},
    {"laplacian.png", true, "its Laplacian, one pixel per cell"},
    {"figure.png", true, "start, end and Laplacian with titles, axes and colour bars", kOfRun},
    {"figure.svg", false, "the same for the web", kOfRun},
    {"figure.pdf", false, "the same for print", kOfRun},
    {"field.vti", false, "all fields at the end, at the start and their Laplacians, for ParaView", kOfRun},
    {"field.h5", false, "the same as HDF5, with the settings", kOfRun, "libhdf5"},
    {"timings.json", true, "what was run, and how fast", kOfRun},
    {"spec.json", true, "the settings, to run it again with --spec", kOfRun},
    {"statistics.csv",
     false,
     "min, max, mean and total: at the start, every N steps (--every) and at the end"},
    {"histogram.csv", false, "how many cells at the end hold which values"},
    {"profile.csv", false, "the values at the end along each --profile", false, "profile"},
    {"probes.csv", false, "the values of each --probe, at the steps of statistics.csv", false, "probe"},
    {"spectrum.csv", false, "mean power of the field's waves by their wave number"},
    {"spectrum.png", false, "the same as a plot"},
    {"contours.csv", false, "the lines of --contours, point by point", false, "contours"},
    {"contours.svg", false, "the field with these lines", false, "contours"},
    {"surface.png", false, "the field as a surface, whose height is the value, seen from --surface"},
    {"view.png",
     false,
     "what --view shows, with axes, colour bar, model and time, as wide as --figure-size",
     kOfRun},
    {"view.svg", false, "the same for the web", kOfRun},
    {"view.pdf", false, "the same for print", kOfRun},
    {"dispersion.csv",
     false,
     "growth rate and frequency of small waves about the field's mean, by wave number",
     kOfRun,
     kRates},
    {"dispersion.png", false, "the same as a plot, above the field's spectrum", kOfRun, kRates},
    {"dispersion.svg", false, "the same for the web", kOfRun, kRates},
    {"dispersion.pdf", false, "the same for print", kOfRun, kRates},
    {"phase.csv",
     false,
     "how many cells have which pair of values of the first two components",
     kOfRun,
     "components"},
    {"phase.png", false, "the same as a plot, with the way of each --probe", kOfRun, "components"},
};

/// Numbered files, one per frame (their writers: sim/run/output/frame_writer.cpp).
inline constexpr Export kFrameExports[] = {
    {"frames.png", false, "with --every: a numbered picture of each moment"},
    {"frames.npy", false, "with --every: a numbered array of each moment"},
    {"frames.vti",
     false,
     "with --every: for ParaView, all fields of each moment, and field.pvd, which plays them"},
    {"frames.h5",
     false,
     "with --every: HDF5, all fields of each moment, and field.h5, which shows them as one"},
};

std::vector<std::string> default_exports();
bool is_frame_export(std::string_view name);

/// Whether it is a table of measurements (*.csv).
bool is_table_export(std::string_view name);

/// Why the model has no dispersion relation; empty if it has one.
std::string why_no_dispersion(const Model& model);

/// Adds an item of --export: a name, `default`, or `all` (except exports that need something of their own,
/// such as contours or, in the model at the end, rates of change; frames.png only with --every). Throws
/// InputError.
void add_export(std::string_view item, std::vector<std::string>& chosen);

}  // namespace stencil
