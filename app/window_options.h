// The options that only the window has.
#pragma once

#include "app/window/window_command.h"

namespace CLI {
class App;
}

namespace stencil {

/// Adds options that fill the request except its spec. `request` must outlive the parsing.
void add_window_options(CLI::App& app, WindowRequest& request);

}  // namespace stencil
