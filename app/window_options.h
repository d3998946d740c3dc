// The options of the window alone.
#pragma once

#include "app/window/window_command.h"

namespace CLI {
class App;
}

namespace stencil {

/// Options that fill the request; its spec is the caller's to fill. `request` must outlive the parsing.
void add_window_options(CLI::App& app, WindowRequest& request);

}  // namespace stencil
