#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/window/format.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

/// The line has these four places, in this order. Each shows its most important piece, and the others are in
/// its tooltip.
enum class Place { moment, state, speed, message };

/// If there is no room, the least important pieces use shorter texts, or are left out.
struct Piece {
    Place place = Place::speed;
    std::string text = {};
    std::string tip = {};
    float least_width = 0;  ///< keeps what follows from moving as the number changes
    int importance = 0;
    ImVec4 color = text_color();
    std::vector<std::string> shorter = {};  ///< shortest first
};

constexpr const char* kDot = "\xc2\xb7";

std::string cell_text(const Snapshot& snapshot) {
    if (!snapshot.frame || !snapshot.frame->hover) return "";
    const SamplePoint at = *snapshot.frame->hover;
    return fmt::format("({}, {}) = {}", int(at.x), int(at.y), format_value(snapshot.frame->hover_value));
}

Piece state_piece(const Snapshot& snapshot) {
    Piece piece{
        .place = Place::state, .tip = "State of the simulation", .least_width = em(4), .importance = 90};
    if (!snapshot.busy.empty()) {
        piece.text = fmt::format("{} ({})", snapshot.busy, format_share(snapshot.busy_share));
        piece.color = warning_color();
    } else {
        piece.text = snapshot.running ? "running" : "paused";
        if (snapshot.running) piece.color = good_color();
    }
    return piece;
}

bool jumps(const Snapshot& snapshot) {
    const Method* method = method_of(snapshot.now);
    return method && method->jumps;
}

void add_jump(std::vector<Piece>& pieces, const Snapshot& snapshot) {
    const std::string steps = format_count(snapshot.last_batch);
    const std::string time = format_measured(snapshot.cost.stepping_ms);
    pieces.push_back({Place::speed,
                      fmt::format("jump of {}: {} ms", steps, time),
                      "Steps per frame, computed at once, and their time",
                      em(9),
                      70});
}

void add_speed(std::vector<Piece>& pieces, const Snapshot& snapshot) {
    const Speed& speed = snapshot.speed;
    const std::string step = format_measured(speed.us_per_step) + " \xc2\xb5s/step";
    const std::string updates = format_measured(speed.gcells_per_s) + " GCells/s";
    pieces.push_back({Place::speed, step, "Time per step, without pictures and files", em(6), 70});
    pieces.push_back({Place::speed, updates, "Cell updates per second / 1e9, while stepping", em(6.5f), 65});
    if (snapshot.limits.copy_gb_per_s <= 0) return;
    const double share = speed.effective_gb_per_s / snapshot.limits.copy_gb_per_s;
    const std::string of_copy = format_measured(share, format_share) + " of copy";
    pieces.push_back(
        {Place::speed, of_copy, "Effective bandwidth over that of a copy; see Performance", em(6), 60});
}

// There are no rates while nothing moves.
void add_rates(std::vector<Piece>& pieces, const InterfaceCost& cost) {
    if (cost.fields_per_s <= 0) return;
    const std::string steps = format_figures(cost.steps_per_s) + " steps/s";
    const std::string frames = format_figures(cost.fields_per_s) + " frames/s";
    pieces.push_back({Place::speed, steps, "Steps per second, drawing and waiting included", em(6), 75});
    pieces.push_back({Place::speed, frames, "New fields shown per second", em(5.5f), 50});
}

// Shows method, precision and device; a processor's name is long, so the tooltip has it.
Piece device_piece(const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const std::string device = now.backend == "cpu"
                                   ? fmt::format("{} thread{}", now.threads, now.threads == 1 ? "" : "s")
                                   : snapshot.device;
    const ExecutionPath& way = snapshot.way;
    const std::string how = way.name + (way.compiling ? ", compiling" : "");
    const std::string method = user_kernel::stepped_by(now);
    const std::string stepped = how.empty() ? method : fmt::format("{} ({})", method, how);
    const std::string precise = fmt::format("{} {} {}", stepped, kDot, name_of(now.dtype));
    const std::string whole = fmt::format("{} {} {}", precise, kDot, device);
    return {.place = Place::speed,
            .text = whole,
            .tip = fmt::format("Method, precision and device: {} {} {}", precise, kDot, snapshot.device),
            .importance = 40};
}

Piece moment_piece(const Snapshot& snapshot) {
    const std::string step = "step " + format_count(snapshot.step);
    const std::string time = time_text(snapshot.spec, snapshot.step);
    if (time.empty()) return {Place::moment, step, "Steps since the start", em(5.5f), 107};
    return {.place = Place::moment,
            .text = fmt::format("{}, t = {}", step, time),
            .tip = "Steps since the start, and the time of this one\n--unit-time [N]UNIT",
            .least_width = em(10),
            .importance = 107,
            .shorter = {step}};
}

std::vector<Piece> all_pieces(const UiState& ui, const Snapshot& snapshot) {
    std::vector<Piece> pieces{moment_piece(snapshot)};
    if (const std::size_t lost = snapshot.series.empty() ? 0 : snapshot.series.back().statistics.not_finite)
        pieces.push_back({Place::state,
                          fmt::format("not finite: {} cell{}", format_count(lost), lost == 1 ? "" : "s"),
                          "Cells that overflowed or have no value; drawn in magenta",
                          0,
                          105,
                          error_color()});
    pieces.push_back(state_piece(snapshot));
    if (jumps(snapshot))
        add_jump(pieces, snapshot);
    else
        add_speed(pieces, snapshot);
    if (ui.example.running)
        pieces.push_back({Place::state,
                          fmt::format("{} {}", ui.example.example, format_share(ui.example.share)),
                          "The running example and its progress",
                          em(5.5f),
                          95,
                          warning_color()});
    const CanvasFilm& film = ui.canvas_film;
    if (const std::string& place = film.on() ? film.place : snapshot.recording; !place.empty())
        pieces.push_back({Place::state,
                          fmt::format("{} {} {}",
                                      ICON_RECORD,
                                      std::filesystem::path(place).filename().string(),
                                      format_count(film.on() ? film.frames : snapshot.recorded)),
                          fmt::format("Frames recorded to {}. Esc stops it.", place),
                          em(8),
                          108,
                          error_color()});
    add_rates(pieces, ui.cost);
    pieces.push_back({.place = Place::speed,
                      .text = ui.transfer.text,
                      .tip = "How pixels reach the screen; interop avoids a copy through the host",
                      .importance = 30});
    pieces.push_back(device_piece(snapshot));
    pieces.push_back({Place::message, ui.said, "Last action", em(5), 110, good_color()});
    pieces.push_back(
        {Place::message, cell_text(snapshot), "Column, row and value under the cursor", em(12), 80});
    if (!ui.preferences.panels)
        pieces.push_back({Place::message, "U shows the panels", "", 0, 45, faint_color()});
    std::erase_if(pieces, [](const Piece& piece) { return piece.text.empty(); });
    return pieces;
}

// Tells what is not on the line, below the tooltip of what is.
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

// Takes the most important piece of each place; its tooltip has those that are left.
std::vector<Piece> pieces_of(const UiState& ui, const Snapshot& snapshot) {
    std::vector<Piece> shown, others = all_pieces(ui, snapshot);
    for (const Place place : {Place::moment, Place::state, Place::speed, Place::message}) {
        const auto rank = [&](const Piece& piece) { return piece.place == place ? piece.importance : -1; };
        const auto found = std::ranges::max_element(others, {}, rank);
        if (found == others.end() || found->place != place) continue;
        shown.push_back(std::move(*found));
        others.erase(found);
    }
    for (Piece& piece : shown) add_details(piece, others);
    return shown;
}

float width_of(const Piece& piece) {
    return std::max(piece.least_width, text_width(piece.text));
}

float gap() {
    return em(1.1f);
}

float width_of(const std::vector<Piece>& pieces) {
    float width = 0;
    for (const Piece& piece : pieces) width += width_of(piece) + gap();
    return width - gap();
}

// Shortens the least important item, or removes it.
void shorten(std::vector<Piece>& pieces) {
    const auto least = std::ranges::min_element(pieces, {}, &Piece::importance);
    if (least->shorter.empty()) {
        pieces.erase(least);
        return;
    }
    least->text = std::move(least->shorter.back());
    least->shorter.pop_back();
}

// Draws a line between two items.
void draw_divider() {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float x = at.x - gap() / 2;
    ImGui::GetWindowDrawList()->AddLine(ImVec2(x, at.y + em(0.1f)),
                                        ImVec2(x, at.y + ImGui::GetTextLineHeight() - em(0.1f)),
                                        ImGui::GetColorU32(ImGuiCol_Separator));
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
            draw_divider();
        }
        const float width = width_of(piece);
        fitted_text(piece.text, std::min(width, left + room - x), piece.color, piece.tip);
        x += width + gap();
    }
}

}  // namespace stencil
