// The kinds of files that --export names. A new one is a row, with the function that writes it, in
// sim/run/output/artifacts.cpp.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

struct ExportedFile;
struct FrameFormat;
struct RunSpec;

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

enum ArtifactTrait : unsigned {
    kStandard = 1,    ///< written by default, in the first of its formats
    kByName = 2,      ///< not part of `all`, because few runs have what it needs
    kImplied = 4,     ///< written without --export, too, by a run that has what it needs
    kOfRun = 8,       ///< one file for the whole run; else one per field, such as field-u.npy
    kCells = 16,      ///< made of whole fields in the memory of one process
    kSeries = 32,     ///< made of the time series of statistics and probes
    kEndTables = 64,  ///< made of the histogram and the profiles at the end
    kSpeed = 128,     ///< tells how fast the run was
    kStart = 256,     ///< the field at the start
    kRows = 512,      ///< made of the middle row at many moments
    kView = 1024,     ///< shows the panes of --view
};

/// A kind of file, in one of its formats.
struct Artifact {
    /// All of these may be left out.
    struct Needs {
        std::string (*why_not)(const RunSpec& spec) = nullptr;  ///< why it cannot be made; empty: it can
        std::string (*why_no_library)() = nullptr;              ///< the same for a library that it loads
        void (*check)(const RunSpec& spec) = nullptr;  ///< takes longer than why_not(); throws InputError
        int bytes_per_cell = 0;  ///< of host memory besides the fields, while it is written
    };

    std::string_view stem;
    std::array<std::string_view, 3>
        formats;  ///< its endings, such as "png", "svg", "pdf"; unused ones are empty
    ExportGroup group;
    unsigned traits;                          ///< of ArtifactTrait
    std::string_view help;                    ///< a few words that tell it from the others of its group
    void (*write)(const ExportedFile& file);  ///< throws MachineError; null for frames
    Needs needs = {};
    const FrameFormat* frames = nullptr;  ///< of numbered files, one per frame; null: one file at the end
    std::string_view format = {};         ///< "svg"
    std::string name = {};                ///< "figure.svg"

    bool is(unsigned any_trait) const { return traits & any_trait; }
    /// Whether it is a table of measurements.
    bool is_table() const { return is(kSeries | kEndTables) && !is(kCells); }
    /// Why the run cannot have the file; empty if it can.
    std::string why_not(const RunSpec& spec) const;
};

/// All kinds in all formats, in the order of lists.
std::span<const Artifact> artifacts();
/// Null for an unknown name.
const Artifact* find_artifact(std::string_view name);
/// The files of --export.
std::vector<const Artifact*> chosen_artifacts(const RunSpec& spec);
/// Whether a file that is written at the end has any of these traits.
bool exports_any(const RunSpec& spec, unsigned traits);

std::vector<std::string> default_exports();

/// Adds an item of --export: a name, which may lack its ending where one file alone is meant (`web`),
/// `default`, or `all` (except what few runs can have, such as contours or, in the model at the end, rates of
/// change; frames.png only with --every). Throws InputError.
void add_export(std::string_view item, std::vector<std::string>& chosen);

}  // namespace stencil
