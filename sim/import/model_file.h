// Resolves what --model is given: a name, a file with a model's text, a link that contains one, or another
// program's file or link.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/model.h"

namespace stencil {

struct FoundModel {
    std::shared_ptr<const Model> model;
    std::string range;                     ///< range of the colours, in the syntax of --range; empty: as it
                                           ///< is
    std::string arrows = {};               ///< arrows over the field, in the syntax of --arrows
    std::vector<std::string> colors = {};  ///< further formulas with their colours, in the syntax of --colors
};

/// Opens a preset, a file or a link. The notes of the model's equations list what was not imported from
/// another program. Throws InputError.
FoundModel open_model(const std::string& name);

struct ModelText {
    std::string text;
    std::vector<std::string> notes;  ///< what was not imported
};

/// The text of a file or a link as open_model() reads it, even if it contains errors. Throws InputError.
ModelText model_text(const std::string& file);

/// The text with its pictures and arrays named from this folder, where they are there; `whole`: by absolute
/// paths, since what is written may be read in another folder.
std::string with_paths_from(const std::filesystem::path& folder, std::string text, bool whole = false);

/// Whether the name is a link, or that of a file which contains a model (not a run, a picture or an array).
/// Throws InputError if the file cannot be read.
bool is_model_file(const std::string& name);

/// Prefix of links that contain a model's text: stencilscope:CODED, the deflated text as letters.
inline constexpr std::string_view kTextLink = "stencilscope:";

/// Whether the name is such a link or a web address.
bool is_link(std::string_view name);

std::string link_of_text(std::string_view text);

/// Decodes the text in a link. Throws InputError if the link is damaged or truncated.
std::string text_of_link(std::string_view link);

}  // namespace stencil
