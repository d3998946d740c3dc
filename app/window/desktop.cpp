#include "app/window/desktop.h"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <utility>

#include "app/window/display/gl_objects.h"
#include "sim/files/image.h"

namespace stencil {
namespace {

// No time limit: a dialog stays open as long as the user likes, a clipboard owner until the next copy.
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

void run_program(Background<std::string>& program, std::function<ChildCommand()> make) {
    program.start([make = std::move(make)](const std::stop_token& stop) {
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
        return path;
    });
}

bool Desktop::serve(UiState& ui) {
    PathDialog& dialog = ui.dialog;
    if (!std::exchange(dialog.known, true)) dialog.there = !dialog_program().empty();
    if (const auto question = ui.take<PathQuestion>())
        run_program(dialog_, [question] { return dialog_command(dialog_program(), *question); });
    const auto path = dialog_.poll();
    if (path) dialog.answer = *path;
    return path.has_value();
}

// In the background, because compressing the picture takes longer than a frame.
void Desktop::copy_canvas(UiState& ui, int frame_height) {
    const ChildCommand command = picture_command();
    if (command.words.empty())
        return ui.say("The picture was not copied: install xclip, or wl-copy under Wayland");
    const ScreenRect at = whole_pixels(ui.canvas);
    const int width = int(at.width), height = int(at.height);
    auto pixels = read_pixels(at, frame_height);
    run_program(clipboard_, [=, pixels = std::move(pixels)] {
        ChildCommand with_picture = command;
        with_picture.input = png_text(width, height, pixels);
        return with_picture;
    });
    ui.say(fmt::format("Copied the canvas, {} x {} pixels", width, height));
}

}  // namespace stencil
