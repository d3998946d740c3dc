// The options of an example as widgets, and what the widgets ask for.
#pragma once

#include <map>
#include <string>

#include "app/window/panels/panel_state.h"

namespace stencil {

/// What the panel asks for as it is typed.
struct ExampleWish {
    ExampleRequest request;                                  ///< without what is not understood
    std::map<std::string, std::string, std::less<>> errors;  ///< by option: one line with what is allowed
};

ExampleWish wish_of(const Example& example, const ExamplesState& state);

/// The other way: the widgets show the request from now on, and its example is the one chosen.
void show_request(ExamplesState& state, const ExampleRequest& request);

/// A widget for each option, red where something is wrong with it.
void draw_example_options(ExamplesState& state, const ExampleWish& wish);
/// The same of what all examples have.
void draw_request_options(ExamplesState& state, const ExampleWish& wish);

}  // namespace stencil
