// The files of a sweep, a row each.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/sweep/sweep_store.h"

namespace stencil {

/// What the files of a sweep are made of.
struct SweepResults {
    const Sweep& sweep;
    const SweepStore& store;
    const std::string& map;  ///< the column that pictures show as a map; empty: the fields
};

struct SweepFile {
    std::string_view name;  ///< as --export has it
    std::string_view file;
    std::string_view help;
    bool standard = false;
    bool of_fields = false;  ///< needs the fields of the runs
    std::string (*why_not)() = nullptr;
    /// Null for files that are there already.
    void (*write)(const std::filesystem::path& path, const SweepResults& results) = nullptr;
};

std::span<const SweepFile> sweep_files();
/// Reads a list such as "csv,png", `default` or `all`. Throws InputError.
std::vector<const SweepFile*> parse_sweep_files(const std::string& list);

/// Whether a sweep over these files needs the fields of its runs.
bool needs_fields(std::span<const SweepFile* const> files, const std::string& map);

/// Writes spec.json, by which a second call knows the sweep.
void write_sweep_spec(const std::filesystem::path& folder, const SweepSpec& sweep);
/// Writes the files; returns their paths.
std::vector<std::filesystem::path> write_sweep_files(const std::filesystem::path& folder,
                                                     std::span<const SweepFile* const> files,
                                                     const SweepResults& results);

}  // namespace stencil
