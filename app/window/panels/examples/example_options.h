// Widgets for the options of an example.
#pragma once

#include <map>
#include <string>

#include "app/window/panels/panel_state.h"

namespace stencil {

/// The request that the widgets spell, with errors.
struct ExampleDraft {
    ExampleRequest request;                                  ///< omits options that cannot be parsed
    std::map<std::string, std::string, std::less<>> errors;  ///< option -> one line that says what is allowed
};

ExampleDraft draft_of(const Example& example, const ExamplesState& state);

/// Sets the widgets from a request, and chooses its example.
void show_request(ExamplesState& state, const ExampleRequest& request);

/// Draws a widget for each option, red if its value is wrong.
void draw_options(std::span<const ExampleOption> options, OptionTexts& texts, const ExampleDraft& draft);

}  // namespace stencil
