// The first minute: prompts on the canvas, one at a time, each gone once it is done.
#pragma once

#include <span>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

struct Prompt {
    std::string_view name;  ///< in Preferences::prompts_done
    std::string_view text;
    bool (*done)(const UiState&);  ///< in this frame
};

/// In the order in which they come.
std::span<const Prompt> prompts();

/// Marks what this frame has done, before its actions are sent.
void follow_prompts(UiState& ui);

/// The first one that is left, over the canvas; beside a parameter's slider where it is about that.
void draw_prompt(UiState& ui);

}  // namespace stencil
