// Desktop programs, replaced by scripts.
#include "app/window/desktop.h"

#include "app/window/panels/widgets/widgets.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

namespace {

/// A folder that is the whole PATH, with scripts in it.
struct Programs {
    ScratchFolder folder;
    Environment path{"PATH", folder.path().string()};
    Environment wayland{"WAYLAND_DISPLAY", std::nullopt};

    std::string add(const std::string& name, const std::string& script) {
        return write_script(folder / name, script).string();
    }
};

std::string answer_of(const ChildCommand& command) {
    Background<std::string> program;
    run_program(program, [&] { return command; });
    return program.get();
}

}  // namespace

TEST_CASE("the dialog that is installed is asked for a file or a folder, and its answer is a path") {
    Programs programs;
    CHECK(dialog_program().empty());
    const std::string kdialog = programs.add("kdialog", "echo \"/picked/$1\"\n");
    CHECK(dialog_program() == kdialog);
    const ScratchFolder start;
    const PathQuestion file{PathKind::file, start.path().string()};
    CHECK(answer_of(dialog_command(kdialog, file)) == "/picked/--getopenfilename");
    // A warning of a toolkit is not taken for a path.
    const std::string zenity =
        programs.add("zenity", "echo 'Gtk-WARNING: no theme' >&2\nfor a; do :; done\necho \"/a b/$a\"\n");
    CHECK(dialog_program() == zenity);
    CHECK(answer_of(dialog_command(zenity, {PathKind::folder, "/"})) == "/a b/--directory");
    programs.add("zenity", "exit 1\n");
    CHECK(answer_of(dialog_command(zenity, file)).empty());
    CHECK(answer_of({{"/no/such/program"}, "", 10, true}).empty());
}

TEST_CASE("a picture goes to what holds the clipboard, byte for byte") {
    Programs programs;
    CHECK(picture_command().words.empty());
    const std::filesystem::path kept = programs.folder / "kept";
    programs.add("xclip", "/bin/cat > '" + kept.string() + "'\n");
    ChildCommand command = picture_command();
    REQUIRE_FALSE(command.words.empty());
    Dice dice;
    command.input = dice.bytes(200'000);
    answer_of(command);
    CHECK(read_bytes(kept) == command.input);
}

TEST_CASE("a field for paths takes the dialog's answer, a recent path, and ~ for the user's own folder") {
    HeadlessImGui imgui(600, 400);
    const Environment home("HOME", "/users/one");
    UiState ui;
    std::string path, other;
    bool entered = false;
    imgui.draw = [&] {
        ImGui::Begin("a window");
        ImGui::SetWindowSize(ImVec2(300, 380));
        entered |= path_input("##file", ui, path, PathKind::file, "");
        path_input("##other", ui, other, PathKind::folder, "");
        ImGui::End();
    };
    // Clicks the button beside a field.
    const auto press_folder = [&](const char* field) {
        const ImRect at = imgui.find("a window", {field});
        const float x = at.Max.x + ImGui::GetStyle().ItemInnerSpacing.x + at.GetHeight() / 2;
        imgui.click(ImVec2(x, at.GetCenter().y));
    };
    imgui.click("a window", {"##file"});
    imgui.enter("~/field.npy");
    CHECK(entered);
    CHECK(path == "/users/one/field.npy");
    // Without a dialog program the folder has to be typed.
    press_folder("##other");
    CHECK_FALSE(ui.asked<PathQuestion>());
    ui.dialog.there = true;
    press_folder("##other");
    REQUIRE(ui.asked<PathQuestion>());
    CHECK(ui.asked<PathQuestion>()->kind == PathKind::folder);
    ui.dialog.answer = "/chosen";
    imgui.frames();
    CHECK(other == "/chosen");
    CHECK(path == "/users/one/field.npy");
    ui.preferences.recent = {"/before/a.npy"};
    entered = false;
    press_folder("##file");
    ImGuiWindow* popup = ImGui::GetCurrentContext()->NavWindow;
    REQUIRE((popup->Flags & ImGuiWindowFlags_Popup) != 0);
    imgui.click(ImVec2(popup->Pos.x + 30, popup->Pos.y + popup->Size.y - 20));
    CHECK(entered);
    CHECK(path == "/before/a.npy");
}
