// File dialogs and clipboard owners of the desktop. If one is missing, the window says so and goes on.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "app/window/ui_state.h"
#include "sim/machine/background.h"
#include "sim/machine/child_process.h"

namespace stencil {

/// Returns the path of zenity or kdialog; empty if neither is installed.
std::string dialog_program();
/// Returns the command that asks for a path, beginning at `start`.
ChildCommand dialog_command(const std::string& program, const PathQuestion& question);

/// Returns the command that copies a PNG from its standard input to the clipboard: wl-copy under Wayland,
/// else xclip. Without words if it is not installed.
ChildCommand picture_command();

/// Runs the command that `make` returns, in the background: ends the program before. The result is the last
/// path that the program printed; empty: none, or the program failed.
void run_program(Background<std::string>& program, std::function<ChildCommand()> make);

/// Serves the window's requests for file dialogs and the clipboard.
class Desktop {
  public:
    /// `wake` is called on another thread when serve() has an answer.
    explicit Desktop(std::function<void()> wake) : dialog_(std::move(wake)) {}

    /// Starts the requested dialog and passes on answers; returns true if there is a new one.
    bool serve(UiState& ui);

    /// Copies the canvas, drawn but not yet swapped, to the clipboard; `frame_height` is in pixels.
    void copy_canvas(UiState& ui, int frame_height);

  private:
    Background<std::string> dialog_, clipboard_;
};

}  // namespace stencil
