#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/settings.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/film.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Says why a file cannot be written yet; it is then disabled and left out of exports.
std::string why_no_file(std::string_view name, const UiState& ui, const Snapshot& snapshot) {
    if (name == "profile.csv" && ui.profiles.empty()) return "Draw a line first (L)";
    if (name == "probes.csv" && snapshot.probes.empty()) return "Place a probe first (P)";
    return why_not_exported(name, snapshot.now);
}

void draw_figure_size(UiState& ui, const RunSpec& now) {
    constexpr std::string_view kTip =
        "Width, or width and height, of figures of the view in cm, e.g. 12 or 12x10; empty: 12 cm for one "
        "pane\n--figure-size W[xH]cm";
    row("Figure size", kTip);
    NumberDraft* draft = text_field("##figure-size", ui, setting_text(now, "figure-size"), kTip);
    if (!draft) return;
    try {
        RunSpec sized = now;
        set_setting(sized, "figure-size", draft->text);
        change(ui, "figure-size", setting_text(sized, "figure-size"));
    } catch (const InputError& error) {
        draft->wrong = error.what();
    }
}

// One button for each format.
void draw_view_figure(UiState& ui, const Snapshot& snapshot) {
    const ExportState& state = ui.panel.exports;
    subtitle("Figure of the view", "What the canvas shows, for a paper: axes, colour bar, model and time");
    draw_figure_size(ui, snapshot.now);
    const ImVec2 size = button_size(3);
    const std::string_view why = snapshot.exporting     ? "The previous export is still being written"
                                 : state.folder.empty() ? "Enter a folder"
                                                        : "";
    for (const auto& [label, file] :
         {std::pair{"PDF##view", "view.pdf"}, {"SVG##view", "view.svg"}, {"PNG##view", "view.png"}}) {
        const std::string tip = fmt::format("Writes {} to the folder\n--export {}", file, file);
        if (label[1] != 'D') same_line();
        if (button(label, size, tip, why)) export_view(ui, snapshot, file);
    }
}

void draw_file_boxes(const UiState& ui, ExportState& state, const Snapshot& snapshot) {
    if (!ImGui::BeginTable("files", 2, ImGuiTableFlags_SizingStretchSame)) return;
    for (const Export& file : kExports) {
        const std::string name(file.name);
        bool chosen = std::ranges::find(state.files, name) != state.files.end();
        ImGui::TableNextColumn();
        const std::string why_not = why_no_file(name, ui, snapshot);
        ImGui::BeginDisabled(!why_not.empty());
        const std::string_view tip = why_not.empty() ? file.help : why_not;
        const bool changed = checkbox(name.c_str(), &chosen, tip);
        ImGui::EndDisabled();
        if (!changed) continue;
        if (chosen)
            state.files.push_back(name);
        else
            std::erase(state.files, name);
    }
    ImGui::EndTable();
}

std::string_view why_no_export(const ExportState& state, const Snapshot& snapshot) {
    if (snapshot.exporting) return "The previous export is still being written";
    if (state.folder.empty()) return "Enter a folder";
    if (state.files.empty()) return "Tick at least one file";
    return "";
}

struct RecordKind {
    const char* label;
    std::string_view ending, tip;
};

constexpr RecordKind kRecordKinds[] = {
    {"Frames", "", "Numbered pictures, arrays or both, in FOLDER/frames"},
    {"MP4 film", ".mp4", "H.264, which plays everywhere\n--video FILE.mp4"},
    {"WebM film", ".webm", "VP9, for the web\n--video FILE.webm"},
    {"GIF", ".gif", "Animated picture\n--video FILE.gif"}};

void draw_film_options(UiState& ui) {
    ExportState& state = ui.panel.exports;
    constexpr std::string_view kTip = "Frames per second of the film\n--fps N";
    row("Frames/s", kTip);
    const NumberRange range{std::numeric_limits<double>::min(), kMostFps};
    if (const auto fps = number_input("##fps", ui, state.fps, range, kTip)) state.fps = *fps;
    static constexpr Segment kOf[] = {{"Field", "One pixel per cell, no axes\n--video-of field"},
                                      {"Figure", "With axes, colour bar and step\n--video-of figure"},
                                      {"Canvas", "The canvas as on the screen"}};
    row("Content", "What the film shows");
    if (const auto clicked = segmented("of", kOf, int(state.film_of))) state.film_of = FilmOf(*clicked);
}

void draw_record_as(UiState& ui) {
    ExportState& state = ui.panel.exports;
    const auto& current = *std::ranges::find(kRecordKinds, std::string_view(state.film), &RecordKind::ending);
    row("As", "A film (needs ffmpeg) or numbered files");
    combo("##as", current.label, current.tip, [&] {
        const std::string why_not = why_no_video();
        for (const RecordKind& kind : kRecordKinds)
            if (choice(kind.label, &kind == &current, kind.tip, kind.ending.empty() ? "" : why_not))
                state.film = kind.ending;
    });
    if (!state.film.empty()) return draw_film_options(ui);
    checkbox_row("PNG", &state.record_png, "Pictures, one pixel per cell");
    ImGui::SameLine();
    checkbox("NPY", &state.record_npy, "The values, for NumPy");
}

void start_recording(UiState& ui, bool canvas) {
    const ExportState& state = ui.panel.exports;
    if (canvas)
        ui.ask(FilmCanvas{state.folder, state.film, state.fps});
    else
        ui.act(action::Record{state.folder,
                              state.record_every,
                              state.record_png,
                              state.record_npy,
                              state.film,
                              state.fps,
                              state.film_of == FilmOf::figure});
}

void stop_recording(UiState& ui) {
    if (ui.canvas_film.on())
        ui.ask(StopFilm{});
    else
        ui.act(action::Record{});
}

void draw_record(UiState& ui, const Snapshot& snapshot) {
    ExportState& state = ui.panel.exports;
    subtitle("Record", "A film or numbered files while it runs");
    const bool recording = !snapshot.recording.empty() || ui.canvas_film.on();
    const bool canvas = !state.film.empty() && state.film_of == FilmOf::canvas;
    ImGui::BeginDisabled(recording);
    ImGui::BeginDisabled(canvas);  // films of the canvas have a frame for each picture shown
    constexpr std::string_view kTip = "Steps between recorded frames\n--every N";
    row("Every", kTip, em(3));
    if (const auto every = whole_input("##every", ui, state.record_every, 1, kMaxSteps, kTip))
        state.record_every = *every;
    same_line();
    ImGui::TextUnformatted("steps");
    ImGui::EndDisabled();
    draw_record_as(ui);
    ImGui::EndDisabled();
    if (recording) {
        if (button_row(ICON_RECORD " Stop", "Stops recording; recorded frames are kept")) stop_recording(ui);
        const CanvasFilm& film = ui.canvas_film;
        const std::filesystem::path place = film.on() ? film.place : snapshot.recording;
        paragraph(fmt::format("{} frames, {}",
                              format_count(film.on() ? film.frames : snapshot.recorded),
                              place.filename().string()),
                  warning_color());
        return;
    }
    const bool none = state.film.empty() && !state.record_png && !state.record_npy;
    const std::string_view why = state.folder.empty() ? "Enter a folder"
                                 : none               ? "Choose PNG, NPY or both"
                                                      : "";
    if (button_row(ICON_RECORD " Record", "Records to FOLDER, or to FOLDER/frames", why))
        start_recording(ui, canvas);
}

// The checkpoint is written to the exports' folder.
void draw_checkpoint(UiState& ui, const Snapshot& snapshot) {
    const ExportState& state = ui.panel.exports;
    constexpr std::string_view kTip =
        "Saves the complete state to FOLDER/checkpoint. \"Open\" goes on from there, with the bits of a run "
        "that was never interrupted.\n--checkpoint N";
    const std::string_view why = snapshot.exporting     ? "Files are still being written"
                                 : state.folder.empty() ? "Enter a folder"
                                                        : "";
    row("Checkpoint", kTip);
    if (button("Save##checkpoint", button_size(1), kTip, why)) ui.act(action::SaveCheckpoint{state.folder});
}

void draw_messages(const Snapshot& snapshot) {
    if (snapshot.messages.empty()) return;
    subtitle("Messages", "Newest first");
    constexpr std::size_t kMax = 5;
    const std::size_t count = std::min(kMax, snapshot.messages.size());
    for (std::size_t i = 0; i < count; ++i) {
        const Message& message = snapshot.messages[snapshot.messages.size() - 1 - i];
        paragraph(message.text, message.level == Message::Level::error ? error_color() : faint_color());
    }
}

}  // namespace

void draw_export_choice(UiState& ui, const Snapshot& snapshot) {
    ExportState& state = ui.panel.exports;
    row("Folder",
        "Output folder, created if needed. Earlier files are kept: the next export goes to FOLDER-2.\n--out "
        "DIR");
    path_input("##folder", ui, state.folder, PathKind::folder, "Output folder, created if needed\n--out DIR");
    draw_file_boxes(ui, state, snapshot);
    checkbox("Replace earlier files", &state.replace, "Overwrites the files in this folder");
    if (button(ICON_SAVE " Export now",
               button_size(1),
               "Writes the ticked files for the present step. Key S.",
               why_no_export(state, snapshot)))
        export_now(ui, snapshot);
    if (button(ICON_COPY " Copy command line",
               button_size(1),
               "Copies the command that repeats this run without a window; a long one reads its settings "
               "from a file in the folder. Key C."))
        copy_command_line(ui, snapshot);
    if (button(ICON_COPY " Copy picture",
               button_size(1),
               "Copies the canvas to the clipboard as a picture. Key Shift+C."))
        ui.ask(CopyCanvas{});
    draw_view_figure(ui, snapshot);
}

void draw_exports(UiState& ui, const Snapshot& snapshot) {
    draw_export_choice(ui, snapshot);
    draw_record(ui, snapshot);
    draw_checkpoint(ui, snapshot);
    draw_messages(snapshot);
}

}  // namespace stencil
