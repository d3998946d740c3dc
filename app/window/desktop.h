// Programs of the desktop beside this one: the dialog for files, and what holds a picture for other programs.
// None of them is a part of this program: where one is missing the window says so and goes on.
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

/// The dialog program that is installed: the file of zenity or kdialog; empty: neither.
std::string dialog_program();
/// What asks for a path with it, beginning at `start`.
ChildCommand dialog_command(const std::string& program, const PathQuestion& question);

/// What takes a PNG on its standard input to the clipboard: wl-copy under Wayland, else xclip; without words
/// where it is not installed.
ChildCommand picture_command();

/// One such program at a time, in a thread of its own.
class DesktopProgram {
  public:
    /// `wake` is called from that thread when take() has something.
    explicit DesktopProgram(std::function<void()> wake) : wake_(std::move(wake)) {}

    /// `make` is called in that thread. The program before is ended.
    void run(std::function<ChildCommand()> make);

    /// Of one that has ended since the last call: the last path that it printed, empty where there was none.
    std::optional<std::string> take();

  private:
    std::function<void()> wake_;
    std::mutex mutex_;
    std::optional<std::string> answer_;  ///< guarded by the mutex
    std::jthread thread_;                ///< ends before what it uses
};

/// What the window asks of the desktop.
class Desktop {
  public:
    /// `wake` is called from another thread when serve() has an answer.
    explicit Desktop(std::function<void()> wake) : dialog_(std::move(wake)) {}

    /// Passes on what a field for paths asks, and the answer: true where there is a new one.
    bool serve(PathDialog& dialog);

    /// The canvas as it was drawn, before it is shown, to the clipboard; the frame is so many pixels high.
    void copy_canvas(UiState& ui, int frame_height);

  private:
    DesktopProgram dialog_, clipboard_{[] {}};
};

}  // namespace stencil
