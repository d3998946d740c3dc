#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/window/format.h"
#include "app/window/other_runs.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

/// The line has these four places, in this order. Each shows its first piece; the others are in tooltips.
enum class Place { moment, state, speed, message };

struct Piece {
    Place place;
    std::string text, tip;
    float least_width = 0;  ///< in font sizes; keeps what follows from moving as the number changes
    ImVec4 color = text_color();
};

std::string cell_text(const UiState& ui, const Snapshot& snapshot) {
    if (const auto run = tile_at(ui, snapshot)) return snapshot.tiles->text(*run);
    if (!snapshot.frame || !snapshot.frame->hover) return "";
    const SamplePoint at = *snapshot.frame->hover;
    return fmt::format("({}, {}) = {}", int(at.x), int(at.y), format_value(snapshot.frame->hover_value));
}

// Returns method and precision, and with them the device, whose name is long if it is a processor.
std::pair<std::string, std::string> device_texts(const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const ExecutionPath& way = snapshot.way;
    const std::string how = way.name + (way.compiling ? ", compiling" : "");
    const std::string method = user_kernel::stepped_by(now);
    const std::string stepped = how.empty() ? method : fmt::format("{} ({})", method, how);
    const std::string precise = fmt::format("{} \xc2\xb7 {} \xc2\xb7 ", stepped, name_of(now.dtype));
    const std::string threads = fmt::format("{} thread{}", now.threads, now.threads == 1 ? "" : "s");
    return {precise + (now.backend == "cpu" ? threads : snapshot.device),
            fmt::format("Method, precision and device: {}{}{}{}",
                        precise,
                        snapshot.device,
                        way.why_not.empty() ? "" : "\nNot faster: ",
                        way.why_not)};
}

// Returns the pieces of each place, the most important piece first.
std::vector<Piece> all_pieces(const UiState& ui, const Snapshot& snapshot) {
    std::vector<Piece> pieces;
    const auto add = [&](Piece piece) {
        if (!piece.text.empty()) pieces.push_back(std::move(piece));
    };
    const bool tiles = watched_tiles(ui, snapshot);
    const long long at = shown_step(ui, snapshot).step;
    const std::string step = "step " + format_count(at);
    if (tiles)
        add({Place::moment, step, "Steps of each tile since its start", 5.5f});
    else if (const std::string time = time_text(snapshot.spec, snapshot.step); time.empty())
        add({Place::moment, step, "Steps since the start", 5.5f});
    else
        add({Place::moment,
             fmt::format("{}, t = {}", step, time),
             "Steps since the start, and the time of this one\n--unit-time [N]UNIT",
             10});

    const CanvasFilm& film = ui.canvas_film;
    if (const std::string& place = film.on() ? film.place : snapshot.recording; !place.empty())
        add({Place::state,
             fmt::format("{} {} {}",
                         ICON_RECORD,
                         std::filesystem::path(place).filename().string(),
                         format_count(film.on() ? film.frames : snapshot.recorded)),
             fmt::format("Frames recorded to {}. Esc stops it.", place),
             8,
             error_color()});
    if (const std::size_t lost =
            tiles || snapshot.series.empty() ? 0 : snapshot.series.back().statistics.not_finite)
        add({Place::state,
             fmt::format("not finite: {} cell{}", format_count(lost), lost == 1 ? "" : "s"),
             "Cells that overflowed or have no value; drawn in magenta",
             0,
             error_color()});
    if (snapshot.fit && snapshot.fit->running)
        add({Place::state,
             fmt::format("fitting, {} evaluations", snapshot.fit->result.evaluations),
             "The fit in the background; Esc stops it",
             8,
             warning_color()});
    if (ui.example.running)
        add({Place::state,
             fmt::format("{} {}", ui.example.example, format_share(ui.example.share)),
             "The running example and its progress",
             5.5f,
             warning_color()});
    const std::string busy = fmt::format("{} ({})", snapshot.busy, format_share(snapshot.busy_share));
    add({Place::state,
         !snapshot.busy.empty()          ? busy
         : !snapshot.why_not_run.empty() ? "solved"
         : snapshot.running              ? "running"
         : snapshot.stop_at == at        ? "stopped (Stop at)"
                                         : "paused",
         snapshot.why_not_run.empty() ? "State of the simulation" : snapshot.why_not_run,
         4,
         !snapshot.busy.empty() ? warning_color()
         : snapshot.running     ? good_color()
                                : text_color()});

    const bool moves = ui.cost.fields_per_s > 0;  // without new fields there are no rates
    if (moves)
        add({Place::speed,
             format_figures(ui.cost.steps_per_s) + " steps/s",
             "Steps per second, drawing and waiting included",
             6});
    if (const Method* method = method_of(snapshot.now); !tiles && method && method->jumps) {
        const std::string time = format_measured(snapshot.cost.stepping_ms);
        add({Place::speed,
             fmt::format("jump of {}: {} ms", format_count(snapshot.last_batch), time),
             "Steps per frame, computed at once, and their time",
             9});
    } else if (!tiles) {
        const Speed& speed = snapshot.speed;
        add({Place::speed,
             format_measured(speed.us_per_step) + " \xc2\xb5s/step",
             "Time per step, without pictures and files",
             6});
        add({Place::speed,
             format_measured(speed.gcells_per_s) + " GCells/s",
             "Cell updates per second / 1e9, while stepping",
             6.5f});
        if (const double copy = snapshot.limits.copy_gb_per_s; copy > 0)
            add({Place::speed,
                 format_measured(speed.effective_gb_per_s / copy, format_share) + " of copy",
                 "Effective bandwidth over that of a copy; see Performance",
                 6});
    }
    if (moves)
        add({Place::speed,
             format_figures(ui.cost.fields_per_s) + " frames/s",
             "New fields shown per second",
             5.5f});
    const auto [device, device_tip] = device_texts(snapshot);
    add({Place::speed, device, device_tip});
    add({Place::speed,
         ui.transfer.text,
         "How pixels reach the screen; interop avoids a copy through the host"});

    add({Place::message, ui.said, "Last action", 5, good_color()});
    add({Place::message, cell_text(ui, snapshot), "Column, row and value under the cursor", 12});
    if (!ui.preferences.panels) add({Place::message, "U shows the panels", "", 0, faint_color()});
    return pieces;
}

// Appends to the tooltip of the shown piece what is not on the line.
void add_details(Piece& piece, const std::vector<Piece>& others) {
    if (others.empty()) return;
    std::string details;
    for (const Piece& other : others)
        details += fmt::format("{}: {}\n", other.text, other.tip.substr(0, other.tip.find('\n')));
    const std::size_t option = piece.tip.find("\n--");
    if (option != std::string::npos)
        piece.tip.insert(option + 1, details);
    else
        piece.tip += "\n" + details.substr(0, details.size() - 1);
}

// Takes the first piece of each place; its tooltip has the place's other pieces.
std::vector<Piece> pieces_of(const UiState& ui, const Snapshot& snapshot) {
    std::vector<Piece> shown, others;
    for (Piece& piece : all_pieces(ui, snapshot)) {
        const bool first = shown.empty() || shown.back().place != piece.place;
        (first ? shown : others).push_back(std::move(piece));
    }
    for (Piece& piece : shown) add_details(piece, others);
    return shown;
}

float width_of(const Piece& piece) {
    return std::max(em(piece.least_width), text_width(piece.text));
}

float gap() {
    return em(1.1f);
}

float width_of(const std::vector<Piece>& pieces) {
    float width = 0;
    for (const Piece& piece : pieces) width += width_of(piece) + gap();
    return width - gap();
}

// Removes dispensable pieces if there is no room.
void shorten(std::vector<Piece>& pieces) {
    for (const Place place : {Place::speed, Place::message, Place::state})
        if (std::erase_if(pieces, [&](const Piece& piece) { return piece.place == place; }) > 0) return;
}

}  // namespace

std::vector<std::string> status_tooltips(const UiState& ui, const Snapshot& snapshot) {
    std::vector<std::string> tips;
    for (const Piece& piece : pieces_of(ui, snapshot)) tips.push_back(piece.tip);
    return tips;
}

void draw_status_line(UiState& ui, const Snapshot& snapshot) {
    constexpr double kSaidFor = 4;  // seconds
    if (std::exchange(ui.heard, snapshot.said.count) < snapshot.said.count) ui.say(snapshot.said.text);
    if (!ui.said.empty() && ui.said_until < 0) ui.said_until = ImGui::GetTime() + kSaidFor;
    if (ImGui::GetTime() >= ui.said_until) ui.said.clear();
    std::vector<Piece> pieces = pieces_of(ui, snapshot);
    const float room = ImGui::GetContentRegionAvail().x;
    while (pieces.size() > 1 && width_of(pieces) > room) shorten(pieces);
    const float left = ImGui::GetCursorPosX();
    float x = left;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i];
        if (i > 0) {
            ImGui::SameLine(x);
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const float line = at.x - gap() / 2, foot = at.y + ImGui::GetTextLineHeight() - em(0.1f);
            ImGui::GetWindowDrawList()->AddLine(
                {line, at.y + em(0.1f)}, {line, foot}, ImGui::GetColorU32(ImGuiCol_Separator));
        }
        const float width = width_of(piece);
        fitted_text(piece.text, std::min(width, left + room - x), piece.color, piece.tip);
        x += width + gap();
    }
}

}  // namespace stencil
