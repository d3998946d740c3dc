// First-use prompts on the canvas: one at a time, each until it is done.
#pragma once

#include <span>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

struct Prompt {
    std::string_view name;  ///< as stored in Preferences::prompts_done
    std::string_view text;
    bool (*done)(const UiState&);  ///< whether this frame did it
};

/// Returns the prompts in the order shown.
std::span<const Prompt> prompts();

/// Marks what this frame has done; call it before its actions are sent.
void follow_prompts(UiState& ui);

/// Draws the first remaining prompt over the canvas, or beside a parameter's slider if it is about that.
void draw_prompt(UiState& ui);

}  // namespace stencil
