#include "app/window/desktop.h"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <utility>

#include "app/window/display/gl_objects.h"
#include "sim/files/image.h"

namespace stencil {
namespace {

// A dialog stays open as long as its user likes, a clipboard owner until the next copy.
ChildCommand unlimited_tool() {
    ChildCommand command;
    command.is_tool = true;
    command.limit_seconds = 1e7;
    return command;
}

}  // namespace

std::string dialog_program() {
    const std::string zenity = find_program("zenity");
    return zenity.empty() ? find_program("kdialog") : zenity;
}

ChildCommand dialog_command(const std::string& program, const PathQuestion& question) {
    const bool folder = question.kind == PathKind::folder;
    ChildCommand command = unlimited_tool();
    if (program.ends_with("kdialog")) {
        command.words = {
            program, folder ? "--getexistingdirectory" : "--getopenfilename", question.start + "/"};
        return command;
    }
    command.words = {program, "--file-selection", "--filename=" + question.start + "/"};
    if (folder) command.words.emplace_back("--directory");
    return command;
}

ChildCommand picture_command() {
    ChildCommand command = unlimited_tool();
    const std::string wayland = std::getenv("WAYLAND_DISPLAY") ? find_program("wl-copy") : "";
    const std::string x11 = find_program("xclip");
    if (!wayland.empty())
        command.words = {wayland, "--type", "image/png"};
    else if (!x11.empty())
        command.words = {x11, "-selection", "clipboard", "-t", "image/png", "-i"};
    return command;
}

void DesktopProgram::run(std::function<ChildCommand()> make) {
    thread_ = {};  // ends the previous program first
    thread_ = std::jthread([this, make = std::move(make)](const std::stop_token& stop) {
        std::string path;
        try {
            // Error output is read too, because the programs report errors on it.
            run_child(
                make(),
                [&](std::string_view line) {
                    if (line.starts_with('/')) path = line;
                },
                [&] { return stop.stop_requested(); });
        } catch (const std::exception&) {
            path.clear();
        }
        if (stop.stop_requested()) return;
        std::unique_lock lock(mutex_);
        answer_ = path;
        lock.unlock();
        wake_();
    });
}

std::optional<std::string> DesktopProgram::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answer_, std::nullopt);
}

bool Desktop::serve(UiState& ui) {
    PathDialog& dialog = ui.dialog;
    if (!std::exchange(dialog.known, true)) dialog.there = !dialog_program().empty();
    if (const auto question = ui.take<PathQuestion>())
        dialog_.run([question] { return dialog_command(dialog_program(), *question); });
    const auto path = dialog_.take();
    if (path) dialog.answer = *path;
    return path.has_value();
}

// In a thread, because compressing the picture takes longer than a frame.
void Desktop::copy_canvas(UiState& ui, int frame_height) {
    const ChildCommand command = picture_command();
    if (command.words.empty())
        return ui.say("The picture was not copied: install xclip, or wl-copy under Wayland");
    const ScreenRect at = whole_pixels(ui.canvas);
    const int width = int(at.width), height = int(at.height);
    auto pixels = read_pixels(at, frame_height);
    clipboard_.run([=, pixels = std::move(pixels)] {
        ChildCommand with_picture = command;
        with_picture.input = png_text(width, height, pixels);
        return with_picture;
    });
    ui.say(fmt::format("Copied the canvas, {} x {} pixels", width, height));
}

}  // namespace stencil
