// The one place where --model finds what it is given: a name, a file with a model's text, a link that carries
// one, or another program's file or link.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/model.h"

namespace stencil {

struct FoundModel {
    std::shared_ptr<const Model> model;
    std::string range;                     ///< that the colours span, as --range takes it; empty: as it is
    std::string arrows = {};               ///< over the field, as --arrows takes them
    std::vector<std::string> colors = {};  ///< of further formulas, as --colors takes them
};

/// Finds a preset, a file or a link. What does not carry over from another program is among
/// the notes of the model's equations. Throws InputError.
FoundModel open_model(const std::string& name);

struct ModelText {
    std::string text;
    std::vector<std::string> notes;  ///< what does not carry over
};

/// The text of a file or a link as open_model() reads it, mistakes included. Throws InputError.
ModelText model_text(const std::string& file);

/// Whether the name is a link, or that of a file with a model rather than a run, a picture or an array.
/// Throws InputError if it cannot be read.
bool is_model_file(const std::string& name);

/// Links that carry a model's text: stencilscope:CODED, its deflated text as letters.
inline constexpr std::string_view kTextLink = "stencilscope:";

/// Whether it is one, or one of the web.
bool is_link(std::string_view name);

std::string link_of_text(std::string_view text);

/// The text in a link. Throws InputError if the link is damaged or cut.
std::string text_of_link(std::string_view link);

}  // namespace stencil
