// The files that --export names. A new one is a row here and its writer, in sim/run/output/exports.cpp.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

struct Model;

/// The purpose of an exported file; lists of exports are in this order.
enum class ExportGroup { data, pictures, figures, tables, paraview, run };

struct ExportGroupRow {
    ExportGroup group;
    std::string_view title, help;
};

inline constexpr ExportGroupRow kExportGroups[] = {
    {ExportGroup::data, "Data", "arrays for NumPy, of shape (ny, nx), in the run's precision"},
    {ExportGroup::pictures, "Pictures", "the field without axes"},
    {ExportGroup::figures, "Figures", "with titles, axes and colour bars, for papers and pages"},
    {ExportGroup::tables, "Tables", "comma-separated, for spreadsheets"},
    {ExportGroup::paraview, "For ParaView and HDF5", "all fields in one file"},
    {ExportGroup::run, "The run", "to repeat it, and to know how fast it was"},
};

/// A kind of file; with several fields there is one per field, such as field-u.npy.
struct Export {
    std::string_view name;
    ExportGroup group;
    bool standard;          ///< written by default
    std::string_view help;  ///< a few words that tell it from the others of its group
    bool of_run = false;    ///< one file for the whole run
    /// The setting or library that the file needs; empty: none.
    std::string_view needs = {};
};

inline constexpr bool kOfRun = true;
inline constexpr std::string_view kRates = "rates of change";

inline constexpr auto kExports = [] {
    using enum ExportGroup;
    return std::to_array<Export>({
        {"initial.npy", data, true, "the field at the start"},
        {"field.npy", data, true, "the field at the end"},
        {"laplacian.npy", data, true, "its Laplacian"},
        {"field.png", pictures, true, "the field at the end, one pixel per cell"},
        {"laplacian.png", pictures, true, "its Laplacian, one pixel per cell"},
        {"figure.png", figures, true, "start, end and Laplacian", kOfRun},
        {"figure.svg", figures, false, "the same for the web", kOfRun},
        {"figure.pdf", figures, false, "the same for print", kOfRun},
        {"field.vti", paraview, false, "end, start and Laplacians of all fields, for ParaView", kOfRun},
        {"field.h5", paraview, false, "the same as HDF5, with the settings", kOfRun, "libhdf5"},
        {"web.html",
         run,
         false,
         "a page that steps the run in any browser, with its sliders",
         kOfRun,
         "explicit steps"},
        {"timings.json", run, true, "what was run, and how fast", kOfRun},
        {"spec.json", run, true, "the settings, to run it again with --spec", kOfRun},
        {"statistics.csv",
         tables,
         false,
         "min, max, mean and total: at the start, at each --every and at the end"},
        {"histogram.csv", tables, false, "how many cells at the end hold which values"},
        {"profile.csv", tables, false, "the values at the end along each --profile", false, "profile"},
        {"probes.csv",
         tables,
         false,
         "the values of each --probe, at the steps of statistics.csv",
         false,
         "probe"},
        {"spectrum.csv", tables, false, "mean power of the field's waves by their wave number"},
        {"spectrum.png", figures, false, "spectrum: mean power by wave number"},
        {"contours.csv", tables, false, "the contours, point by point (--contours)", false, "contours"},
        {"contours.svg", pictures, false, "the field with its contours (--contours)", false, "contours"},
        {"surface.png", pictures, false, "a surface, whose height is the value, seen from --surface"},
        {"view.png",
         figures,
         false,
         "what the canvas shows (--view), with model and time, as wide as --figure-size",
         kOfRun},
        {"view.svg", figures, false, "the same for the web", kOfRun},
        {"view.pdf", figures, false, "the same for print", kOfRun},
        {"dispersion.csv",
         tables,
         false,
         "growth rate and frequency of small waves about a steady state, by wave number",
         kOfRun,
         kRates},
        {"dispersion.png", figures, false, "dispersion relation, above the field's spectrum", kOfRun, kRates},
        {"dispersion.svg", figures, false, "the same for the web", kOfRun, kRates},
        {"dispersion.pdf", figures, false, "the same for print", kOfRun, kRates},
        {"phase.csv",
         tables,
         false,
         "how many cells have which pair of values of the first two components",
         kOfRun,
         "components"},
        {"phase.png",
         figures,
         false,
         "phase plane of the first two components, with the way of each --probe",
         kOfRun,
         "components"},
    });
}();

/// Numbered files, one per frame (their writers: sim/run/output/frame_writer.cpp).
inline constexpr auto kFrameExports = [] {
    using enum ExportGroup;
    return std::to_array<Export>({
        {"frames.png", pictures, true, "with --every: a numbered picture of each moment"},
        {"frames.npy", data, false, "with --every: a numbered array of each moment"},
        {"frames.vti",
         paraview,
         false,
         "with --every: for ParaView, all fields of each moment, and field.pvd, which plays them"},
        {"frames.h5",
         paraview,
         false,
         "with --every: HDF5, all fields of each moment, and field.h5, which shows them as one"},
    });
}();

std::vector<std::string> default_exports();
bool is_frame_export(std::string_view name);

/// Whether it is a table of measurements (*.csv).
bool is_table_export(std::string_view name);

/// Why the model has no dispersion relation; empty if it has one.
std::string why_no_dispersion(const Model& model);

/// Adds an item of --export: a name, which may lack its ending where one file alone is meant (`web`),
/// `default`, or `all` (except exports that need something of their own, such as contours or, in the model at
/// the end, rates of change; frames.png only with --every). Throws InputError.
void add_export(std::string_view item, std::vector<std::string>& chosen);

}  // namespace stencil
