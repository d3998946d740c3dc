// File dialogs and clipboard owners of the desktop. If one is missing, the window says so and goes on.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "app/window/ui_state.h"
#include "sim/machine/child_process.h"

namespace stencil {

/// Returns the path of zenity or kdialog; empty if neither is installed.
std::string dialog_program();
/// Returns the command that asks for a path, beginning at `start`.
ChildCommand dialog_command(const std::string& program, const PathQuestion& question);

/// Returns the command that copies a PNG from its standard input to the clipboard: wl-copy under Wayland,
/// else xclip. Without words if it is not installed.
ChildCommand picture_command();

/// Runs one such program at a time in a thread.
class DesktopProgram {
  public:
    /// `wake` is called from that thread when take() has an answer.
    explicit DesktopProgram(std::function<void()> wake) : wake_(std::move(wake)) {}

    /// Ends the previous program and runs the new one; `make` is called in the thread.
    void run(std::function<ChildCommand()> make);

    /// Returns the last path that a program printed, if one has ended since the last call; empty: no path.
    std::optional<std::string> take();

  private:
    std::function<void()> wake_;
    std::mutex mutex_;
    std::optional<std::string> answer_;  ///< guarded by the mutex
    std::jthread thread_;                ///< last, so that it ends before what it uses
};

/// Serves the window's requests for file dialogs and the clipboard.
class Desktop {
  public:
    /// `wake` is called from another thread when serve() has an answer.
    explicit Desktop(std::function<void()> wake) : dialog_(std::move(wake)) {}

    /// Starts the dialog that was asked for and returns answers: true if there is a new one.
    bool serve(UiState& ui);

    /// Copies the canvas, drawn but not yet swapped, to the clipboard; `frame_height` is in pixels.
    void copy_canvas(UiState& ui, int frame_height);

  private:
    DesktopProgram dialog_, clipboard_{[] {}};
};

}  // namespace stencil
