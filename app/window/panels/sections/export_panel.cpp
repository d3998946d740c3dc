#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/film.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

void draw_figure_size(UiState& ui, const RunSpec& now) {
    text_row({ui,
              "Figure size",
              "Width, or width and height, of figures of the view in cm, e.g. 12 or 12x10; empty: 12 cm for "
              "one pane\n--figure-size W[xH]cm"},
             setting_text(now, setting_name::figure_size),
             [&](const std::string& text) {
                 change(ui,
                        setting_name::figure_size,
                        setting_text(with_setting(now, setting_name::figure_size, text),
                                     setting_name::figure_size));
             });
}

std::string_view why_no_export(const ExportChoices& state, bool writing) {
    return writing ? "Files are still being written" : state.folder.empty() ? "Enter a folder" : "";
}

// One button for each format.
void draw_view_figure(UiState& ui, const Snapshot& snapshot) {
    const ExportChoices& state = ui.preferences.exports;
    subtitle("Figure of the view", "What the canvas shows, for a paper: axes, colour bar, model and time");
    draw_figure_size(ui, snapshot.now);
    const ImVec2 size = button_size(3);
    const std::string_view why = why_no_export(state, snapshot.exporting);
    for (const auto& [label, file] :
         {std::pair{"PDF##view", "view.pdf"}, {"SVG##view", "view.svg"}, {"PNG##view", "view.png"}}) {
        const std::string tip = fmt::format("Writes {} to the folder\n--export {}", file, file);
        if (label[1] != 'D') same_line();
        if (button(label, size, tip, why)) export_files(ui, snapshot, {file});
    }
}

// Draws a box for a file, with as much of its help as there is room for; the tooltip has all of it.
void draw_file_box(const Artifact& file, ExportChoices& state, const RunSpec& now) {
    bool chosen = contains(state.files, file.name);
    // A file that cannot be written yet is left out of exports.
    const std::string why_not = file.why_not(now);
    const std::string_view tip = why_not.empty() ? file.help : why_not;
    constexpr float kNames = 9.5f;  // font sizes
    const float left = ImGui::GetCursorPosX() + em(kNames);
    ImGui::BeginDisabled(!why_not.empty());
    const bool changed = checkbox(file.name.c_str(), &chosen, tip);
    ImGui::EndDisabled();
    ImGui::SameLine(left);
    ImGui::AlignTextToFramePadding();
    fitted_text(tip.substr(0, tip.find(" (--")), ImGui::GetContentRegionAvail().x, faint_color());
    if (!changed) return;
    if (chosen)
        state.files.push_back(file.name);
    else
        std::erase(state.files, file.name);
}

// Draws the files in groups that fold, each with the number of its ticked files.
void draw_file_boxes(const UiState& ui, ExportChoices& state, const Snapshot& snapshot) {
    RunSpec now = snapshot.now;
    now.profiles = ui.profiles;
    now.probes.clear();
    for (const ProbeSeries& probe : snapshot.probes) now.probes.push_back({probe.x, probe.y});
    for (const ExportGroupRow& group : kExportGroups) {
        const auto of_group = [&](const Artifact& file) { return file.group == group.group && !file.frames; };
        const auto ticked = std::ranges::count_if(artifacts(), [&](const Artifact& file) {
            return of_group(file) && contains(state.files, file.name);
        });
        const std::string title = fmt::format("{} ({} of {})###{}",
                                              group.title,
                                              ticked,
                                              std::ranges::count_if(artifacts(), of_group),
                                              group.title);
        const bool common = group.group == ExportGroup::data || group.group == ExportGroup::pictures;
        if (!unfolded(title.c_str(), group.help, common ? ImGuiTreeNodeFlags_DefaultOpen : 0)) continue;
        for (const Artifact& file : artifacts())
            if (of_group(file)) draw_file_box(file, state, now);
    }
}

}  // namespace

void draw_export_choice(UiState& ui, const Snapshot& snapshot) {
    ExportChoices& state = ui.preferences.exports;
    folder_row(
        ui,
        state.folder,
        "Output folder, created if needed. Earlier files are kept: the next export goes to FOLDER-2.\n--out "
        "DIR");
    checkbox("Replace earlier files", &state.replace, "Overwrites the files in this folder");
    if (snapshot.exporting) {
        const double share = snapshot.export_share.value_or(0);
        share_bar(share,
                  fmt::format("{}, {:.0f}%", snapshot.export_doing, std::floor(100 * share)),
                  "Esc stops it; written files are kept");
    } else if (button(ICON_SAVE " Export now",
                      button_size(1),
                      "Writes the ticked files for the present step. Key S.",
                      state.files.empty() && !state.folder.empty() ? "Tick at least one file"
                                                                   : why_no_export(state, false))) {
        export_now(ui, snapshot);
    }
    if (button(ICON_COPY " Copy command line",
               button_size(1),
               "Copies the command that repeats this run without a window; a long one reads its settings "
               "from a file in the folder. Key C."))
        copy_command_line(ui, snapshot);
    if (button(ICON_COPY " Copy picture",
               button_size(2),
               "Copies the canvas to the clipboard as a picture. Key Shift+C."))
        ui.ask(CopyCanvas{});
    same_line();
    if (button(ICON_COPY " Copy link",
               button_size(1),
               "Copies a link that carries the equation with the present settings, for students and "
               "colleagues: Open takes it, and so does the web page (web.html)\n--model LINK"))
        copy_link(ui, snapshot);
    draw_view_figure(ui, snapshot);
    draw_film_button(ui, snapshot);
    subtitle("Files", "What \"Export now\" writes");
    draw_file_boxes(ui, state, snapshot);
}

void draw_exports(UiState& ui, const Snapshot& snapshot) {
    draw_export_choice(ui, snapshot);
    const ExportChoices& state = ui.preferences.exports;
    constexpr std::string_view kTip =
        "Saves the complete state to FOLDER/checkpoint. \"Open\" goes on from there, with the bits of a run "
        "that was never interrupted.\n--checkpoint N";
    row("Checkpoint", kTip);
    if (button("Save##checkpoint", button_size(1), kTip, why_no_export(state, snapshot.exporting)))
        ui.act(action::SaveCheckpoint{state.folder});
    if (snapshot.messages.empty()) return;
    subtitle("Messages", "Newest first");
    constexpr std::size_t kMost = 5;
    const std::size_t count = snapshot.messages.size();
    for (std::size_t i = count; i-- > count - std::min(kMost, count);) {
        const bool error = snapshot.messages[i].level == Message::Level::error;
        paragraph(snapshot.messages[i].text, error ? error_color() : faint_color());
    }
}

}  // namespace stencil
