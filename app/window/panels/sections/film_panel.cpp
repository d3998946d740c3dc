// The dialog that records a film or numbered files, from now on or of the run from its start.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/problem/run_spec.h"
#include "sim/run/output/film.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

struct RecordKind {
    const char* label;
    std::string_view ending, tip;
};

constexpr RecordKind kRecordKinds[] = {
    {"Frames", "", "Numbered pictures, arrays or both, in FOLDER/frames"},
    {"MP4 film", ".mp4", "H.264, which plays everywhere\n--video FILE.mp4"},
    {"WebM film", ".webm", "VP9, for the web\n--video FILE.webm"},
    {"GIF", ".gif", "Animated picture\n--video FILE.gif"}};

bool films_canvas(const ExportState& state) {
    return !state.film.empty() && state.film_of == FilmOf::canvas;
}

bool films_from_start(const ExportState& state) {
    return !state.film.empty() && state.from_start && !films_canvas(state);
}

void draw_every(UiState& ui) {
    long long& every = ui.panel.exports.record_every;
    const FieldRow field{ui, "Every", "Steps between recorded frames\n--every N", em(3)};
    if (const auto typed = whole_row(field, every, 1, kMaxSteps)) every = *typed;
    same_line();
    ImGui::TextUnformatted("steps");
}

void draw_seconds(UiState& ui) {
    ExportState& state = ui.panel.exports;
    const bool from_start = films_from_start(state);
    const std::string_view tip =
        from_start ? "Length of the film, over which its frames are spread evenly\n--video-seconds S"
                   : "Length of the film, after which the recording ends; 0: until it is stopped";
    double& seconds = from_start ? state.length : state.stop_after;
    const IdScope scope(from_start);
    const NumberRange range{from_start ? 0.1 : 0, kMostFilmSeconds};
    if (const auto typed = number_row({ui, "Seconds", tip}, seconds, range)) seconds = *typed;
}

void draw_size(UiState& ui) {
    FilmRequest& choices = ui.panel.exports.choices;
    const std::string now = choices.width > 0 ? fmt::format("{}x{}", choices.width, choices.height) : "auto";
    text_row({ui,
              "Size",
              "Pixels of the film, such as 1280x720, with the picture as large as fits on white; auto: whole "
              "multiples of the cells\n--video-size WxH"},
             now,
             [&](const std::string& text) {
                 const Size size = text.empty() || text == "auto" ? Size{0, 0} : read_film_size(text);
                 choices.width = size.nx;
                 choices.height = size.ny;
             });
}

// Returns the range of the values' pane as text.
std::string canvas_range(const Snapshot& snapshot) {
    if (snapshot.frame)
        for (const PaneImage& image : snapshot.frame->panes)
            if (image.request.pane != Pane::laplacian && image.range.low < image.range.high)
                return to_string(
                    {RangeRule::Kind::fixed, image.range.low, image.range.high, image.range.scale});
    return "0:1";
}

void draw_range(UiState& ui, const Snapshot& snapshot) {
    static constexpr const char* kLabels[] = {"As on the canvas", "Each frame", "First frame"};
    constexpr std::string_view kTip =
        "The values that the colours span; arrows at the colour bar's ends tell of others\n"
        "--video-range canvas|frame|first|MIN:MAX";
    FilmRequest& choices = ui.panel.exports.choices;
    const auto rules = film_ranges();
    const std::string now = choices.range;
    const auto found = std::ranges::find(rules, now, &FilmRange::name);
    const bool fixed = found == rules.end();
    combo_row("Range", fixed ? "Fixed" : kLabels[found - rules.begin()], kTip, [&] {
        for (std::size_t i = 0; i < rules.size(); ++i)
            if (choice(kLabels[i], now == rules[i].name, rules[i].help)) choices.range = rules[i].name;
        if (choice("Fixed", fixed, "A range for the whole film, at first that of the canvas now") && !fixed)
            choices.range = canvas_range(snapshot);
    });
    if (!fixed) return;
    text_row({ui, "", "MIN:MAX\n--video-range MIN:MAX"}, now, [&](const std::string& text) {
        choices.range = read_film_range(text);
    });
}

void draw_film_choices(UiState& ui, const Snapshot& snapshot) {
    ExportState& state = ui.panel.exports;
    static constexpr Segment kOf[] = {{"Field", "One pixel per cell, no axes\n--video-of field"},
                                      {"Figure", "With axes, colour bar and title\n--video-of figure"},
                                      {"Canvas", "The canvas as on the screen, a frame for each picture"}};
    if (const auto clicked = segmented_row("Content", "What the film shows", kOf, int(state.film_of)))
        state.film_of = FilmOf(*clicked);
    const bool canvas = films_canvas(state);
    static constexpr Segment kWhen[] = {
        {"From now", "Records while the run goes on"},
        {"From start",
         "Makes the run again from its start up to the present step, exactly, beside this one\nrun "
         "--video FILE"}};
    ImGui::BeginDisabled(canvas);
    if (const auto clicked = segmented_row("When", "What is filmed", kWhen, films_from_start(state) ? 1 : 0))
        state.from_start = *clicked == 1;
    ImGui::EndDisabled();
    if (!canvas && !films_from_start(state)) draw_every(ui);
    draw_seconds(ui);
    double& fps = state.choices.fps;
    const NumberRange range{std::numeric_limits<double>::min(), kMostFps};
    if (const auto typed = number_row({ui, "Frames/s", "Frames per second of the film\n--fps N"}, fps, range))
        fps = *typed;
    if (canvas) return;
    draw_size(ui);
    draw_range(ui, snapshot);
}

void begin_recording(UiState& ui) {
    const ExportState& state = ui.panel.exports;
    FilmRequest choices = state.choices;
    choices.figure = state.film_of == FilmOf::figure;
    choices.seconds = films_from_start(state) ? state.length : state.stop_after;
    if (films_canvas(state))
        ui.ask(FilmCanvas{ui.preferences.exports.folder, state.film, choices.fps, choices.seconds});
    else if (films_from_start(state))
        ui.act(action::Film{ui.preferences.exports.folder, state.film, choices});
    else
        ui.act(action::Record{ui.preferences.exports.folder,
                              state.record_every,
                              state.record_png,
                              state.record_npy,
                              state.film,
                              choices});
}

void draw_dialog(UiState& ui, const Snapshot& snapshot) {
    ExportState& state = ui.panel.exports;
    const auto& current = *std::ranges::find(kRecordKinds, std::string_view(state.film), &RecordKind::ending);
    combo_row("As", current.label, "A film (needs ffmpeg) or numbered files", [&] {
        const std::string why_not = why_no_video();
        for (const RecordKind& kind : kRecordKinds)
            if (choice(kind.label, &kind == &current, kind.tip, kind.ending.empty() ? "" : why_not))
                state.film = kind.ending;
    });
    if (state.film.empty()) {
        draw_every(ui);
        checkbox_row("PNG", &state.record_png, "Pictures, one pixel per cell");
        ImGui::SameLine();
        checkbox("NPY", &state.record_npy, "The values, for NumPy");
    } else {
        draw_film_choices(ui, snapshot);
    }
    const bool again = films_from_start(state);
    const bool none = state.film.empty() && !state.record_png && !state.record_npy;
    const std::string_view why = ui.preferences.exports.folder.empty() ? "Enter a folder"
                                 : none                                ? "Choose PNG, NPY or both"
                                 : again && snapshot.exporting         ? "Files are still being written"
                                 : again && snapshot.step == 0         ? "The run is at its start"
                                                                       : "";
    if (!button(again ? ICON_RECORD " Make film" : ICON_RECORD " Record",
                button_size(1),
                "Writes to FOLDER, or to FOLDER/frames",
                why))
        return;
    begin_recording(ui);
    ImGui::CloseCurrentPopup();
}

}  // namespace

void draw_film_button(UiState& ui, const Snapshot& snapshot) {
    if (!snapshot.recording.empty() || ui.canvas_film.on()) {
        if (button(ICON_RECORD " Stop recording",
                   button_size(1),
                   "Ends it; what was recorded is kept. Key Esc."))
            stop_recording(ui);
        return;
    }
    if (button(ICON_RECORD " Film or frames...",
               button_size(1),
               "Records a film or numbered files from now on, or makes a film of the run from its start\nrun "
               "--video FILE")) {
        ImGui::OpenPopup("film");
        ExportState& state = ui.panel.exports;
        if (!std::exchange(state.film_offered, true) && why_no_video().empty())
            state.film = kRecordKinds[1].ending;
    }
    const ImVec2 room = ImGui::GetIO().DisplaySize;
    // A fixed upper edge, so that rows stay in place when rows below them come and go.
    const float top = std::max(0.0f, room.y / 2 - em(13));
    ImGui::SetNextWindowPos(ImVec2(room.x / 2, top), ImGuiCond_Always, ImVec2(0.5f, 0));
    ImGui::SetNextWindowSize(ImVec2(em(22), 0));
    if (!ImGui::BeginPopup("film")) return;
    draw_dialog(ui, snapshot);
    ImGui::EndPopup();
}

void stop_recording(UiState& ui) {
    if (ui.canvas_film.on())
        ui.ask(StopFilm{});
    else
        ui.act(action::Record{});
}

}  // namespace stencil
