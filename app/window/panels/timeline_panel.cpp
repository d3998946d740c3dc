// History of the run, below the canvas: a slider over its steps, bookmarks, and the list of actions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/format.h"
#include "app/window/other_runs.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr double kBetweenWishes = 0.05;  // seconds: each request copies the field

bool compares(const UiState& ui) {
    return ui.panes.front() == Pane::from_bookmark;
}

// --- The slider

/// Maps steps to positions on the screen.
struct Scale {
    float left = 0, width = 0, top = 0, height = 0;
    double end = 1;
    float place(long long step) const { return left + width * float(double(step) / end); }
    long long step(float x) const {
        return std::llround(end * std::clamp(double(x - left) / double(width), 0.0, 1.0));
    }
};

// The stored states and bookmarks are the run's, so `run` is null where the steps are those of tiles.
void draw_marks(const Snapshot* run, const Scale& scale, long long shown) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float middle = std::round(scale.top + scale.height / 2), thick = em(0.2f);
    const auto color = [](ImGuiCol which) { return ImGui::GetColorU32(which); };
    const float now = scale.place(shown);
    const auto bar = [&](float end, ImGuiCol which) {
        list->AddRectFilled(
            {scale.left, middle - thick / 2}, {end, middle + thick / 2}, color(which), thick / 2);
    };
    bar(scale.left + scale.width, ImGuiCol_Separator);
    bar(now, ImGuiCol_SliderGrab);
    const ImU32 faint = ImGui::GetColorU32(faint_color());
    for (const long long step : run ? run->kept_steps : std::vector<long long>()) {
        const float x = std::round(scale.place(step));
        list->AddRectFilled({x, middle + em(0.2f)}, {x + 1, middle + em(0.45f)}, faint);
    }
    list->AddCircleFilled({now, middle}, em(0.4f), color(ImGuiCol_SliderGrabActive));
    if (!run || !run->history) return;
    for (const History::Bookmark& one : run->history->bookmarks)
        if (one.on_the_way && one.step <= run->end_step)
            list->AddText(ImVec2(scale.place(one.step) - text_width(one.name) / 2, scale.top - em(0.15f)),
                          ImGui::GetColorU32(warning_color()),
                          one.name.c_str());
}

struct TimelineDrag {
    std::optional<long long> draft;  ///< the step requested last in the present drag
    double wished_at = 0;            ///< in ImGui's time
};

std::string slider_tip(const Snapshot& snapshot, bool tiles) {
    if (tiles)
        return "Drag to send all tiles to a step; for an earlier one they begin again and step to it\n"
               "--steps N";
    return fmt::format(
        "Drag to move through the run. Ticks mark stored states ({}, which take {} of at most {}; "
        "older ones are sparser); steps in between are recomputed exactly. A change at an earlier step "
        "discards the later ones; Undo restores them.\n--steps N",
        snapshot.kept_steps.size(),
        format_bytes(snapshot.kept_bytes),
        format_bytes(snapshot.kept_most));
}

void draw_slider(UiState& ui, const Snapshot& snapshot, float width) {
    auto& state = ui.panel.of<TimelineDrag>();
    const bool tiles = watched_tiles(ui, snapshot);
    const ShownStep shown = shown_step(ui, snapshot);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetFrameHeight(), pad = em(0.5f);
    ImGui::InvisibleButton("##steps", ImVec2(width, height));
    const Scale scale{
        top.x + pad, std::max(1.0f, width - 2 * pad), top.y, height, double(std::max(shown.furthest, 1LL))};
    const bool held = ImGui::IsItemActive(), released = ImGui::IsItemDeactivated();
    if (ImGui::IsItemActivated()) {
        state.draft.reset();
        if (tiles && snapshot.running) ui.act(action::Run{false});
    }
    if (held || released) {
        const long long step = scale.step(ImGui::GetIO().MousePos.x);
        // Tiles begin again to go back, so they do at the end of a drag.
        const bool due = released || (!tiles && ImGui::GetTime() - state.wished_at >= kBetweenWishes);
        if (shown.furthest > 0 && due && (tiles || state.draft != step)) ui.act(action::Jump{step});
        if (due || tiles) state = {step, ImGui::GetTime()};
    }
    draw_marks(tiles ? nullptr : &snapshot, scale, held && state.draft ? *state.draft : shown.step);
    tooltip(slider_tip(snapshot, tiles));
}

// --- Actions

// Lists the newest actions first, below those undone.
void draw_deeds(UiState& ui, const History& history) {
    const std::size_t all = history.done.size() + history.undone.size();
    if (all == 0)
        return paragraph("Nothing yet: strokes, settings and starts are listed here.", faint_color());
    constexpr std::size_t kRows = 12;
    const float height = float(std::min(all, kRows)) * ImGui::GetTextLineHeightWithSpacing() + em(0.5f);
    ImGui::BeginChild("deeds", ImVec2(0, height));
    const auto draw = [](std::size_t id, const std::string& deed, const ImVec4& color, const char* tip) {
        ImGui::PushID(int(id));
        ImGui::PushStyleColor(ImGuiCol_Text, color);
        const bool clicked = ImGui::Selectable(deed.c_str());
        ImGui::PopStyleColor();
        tooltip(tip);
        ImGui::PopID();
        return clicked;
    };
    const std::size_t undone = history.undone.size(), done = history.done.size();
    for (std::size_t i = 0; i < undone; ++i)
        if (draw(i, history.undone[i], faint_color(), "Undone: click to redo up to here"))
            ui.act(action::Redo{int(undone - i)});
    for (std::size_t i = done; i-- > 0;)
        if (draw(undone + i, history.done[i], text_color(), "Click to undo this and everything after it"))
            ui.act(action::Undo{int(done - i)});
    ImGui::EndChild();
}

void draw_bookmark(UiState& ui, const History& history, std::size_t index) {
    const History::Bookmark& one = history.bookmarks[index];
    ImGui::SetNextItemWidth(em(7));
    text_field("##name", ui, one.name, "Name of the bookmark", [&](const std::string& name) {
        ui.act(action::NameBookmark{index, name});
    });
    same_line();
    const std::string step =
        fmt::format("step {}{}", format_count(one.step), one.on_the_way ? "" : ", another run");
    fitted_text(step,
                em(12.5f),
                text_color(),
                one.on_the_way ? "" : "Of another run: it is not kept when the window closes");
    ImGui::SameLine(em(20.5f));
    if (button("Go", ImVec2(em(2.5f), 0), "Goes to exactly this state; Undo returns")) {
        ui.act(action::GoToBookmark{index});
        if (ui.panes.front() == Pane::mosaic) show_pane(ui, Pane::now);
    }
    same_line();
    const bool compared = compares(ui) && history.compared == index;
    if (button(compared ? "Field###compare" : "Compare###compare",
               ImVec2(em(5.5f), 0),
               compared ? "Shows the field again" : "Shows the difference from the bookmark",
               one.why_no_difference)) {
        if (!compared) ui.act(action::Compare{index});
        show_pane(ui, compared ? Pane::now : Pane::from_bookmark);
    }
    same_line();
    if (button(ICON_CLOSE, ImVec2(0, 0), "Removes this bookmark")) ui.act(action::RemoveBookmark{index});
}

void draw_history(UiState& ui, const Snapshot& snapshot) {
    const ImVec2 least = ImGui::GetItemRectMin(), most = ImGui::GetItemRectMax();
    ImGui::SetNextWindowPos(ImVec2(most.x, least.y - em(0.5f)), ImGuiCond_Appearing, ImVec2(1, 1));
    ImGui::SetNextWindowSize(ImVec2(em(34.5f), 0));
    if (!ImGui::BeginPopup("history")) return;
    static const History kNone;
    const History& history = snapshot.history ? *snapshot.history : kNone;
    subtitle("History", "Newest first; click to go back");
    draw_deeds(ui, history);
    subtitle("Bookmarks", "States of this run and of others, to return to and to compare. Key M adds one.");
    for (std::size_t i = 0; i < history.bookmarks.size(); ++i) {
        const IdScope scope{int(i)};
        draw_bookmark(ui, history, i);
    }
    const std::string_view why_not = watched_tiles(ui, snapshot) ? kNoBookmarkOfTiles : "";
    if (button(ICON_MARK " Bookmark this step", button_size(1), "Stores the complete state. Key M.", why_not))
        ui.act(action::SetBookmark{});
    ImGui::EndPopup();
}

// --- Text beside the slider

struct Told {
    std::string text, tip;
};

Told told_of(const UiState& ui, const Snapshot& snapshot) {
    const bool compared = compares(ui) && snapshot.frame && snapshot.frame->comparison && snapshot.history &&
                          snapshot.history->compared < snapshot.history->bookmarks.size();
    if (compared) {
        const Comparison& c = *snapshot.frame->comparison;
        const std::string& name = snapshot.history->bookmarks[snapshot.history->compared].name;
        return {fmt::format("difference from {}: {:.3g}", name, c.relative),
                fmt::format("2-norm of the difference, relative to {}; from {} to {}, mean {}",
                            name,
                            format_value(c.lowest),
                            format_value(c.highest),
                            format_value(c.mean))};
    }
    const ShownStep shown = shown_step(ui, snapshot);
    std::string text = "step " + format_count(shown.step);
    if (shown.is_behind()) text += " of " + format_count(shown.furthest);
    const char* tip = watched_tiles(ui, snapshot) ? "Steps of each tile; the run itself waits"
                      : shown.is_behind()
                          ? "There are later steps: a change here discards them, and Undo restores them"
                          : "The newest step of the run";
    return {std::move(text), tip};
}

}  // namespace

void draw_timeline(UiState& ui, const Snapshot& snapshot) {
    const float gap = ImGui::GetStyle().ItemSpacing.x, padding = 2 * ImGui::GetStyle().FramePadding.x;
    const float left = ImGui::GetCursorPosX(), room = ImGui::GetContentRegionAvail().x;
    if (compares(ui) && snapshot.history && snapshot.history->bookmarks.empty()) show_pane(ui, Pane::now);
    const Told told = told_of(ui, snapshot);
    const float text = std::max(em(9), text_width(told.text));
    const float buttons = text_width(ICON_MARK) + text_width("History") + 2 * padding + gap;
    const bool with_text = room > buttons + text + em(12);
    const float slider = room - buttons - gap - (with_text ? text + gap : 0);
    if (slider >= em(3))
        draw_slider(ui, snapshot, slider);
    else
        ImGui::Dummy(ImVec2(0, 0));
    if (with_text) {
        ImGui::SameLine(left + room - buttons - gap - text);
        ImGui::AlignTextToFramePadding();
        fitted_text(
            told.text, text, shown_step(ui, snapshot).is_behind() ? warning_color() : text_color(), told.tip);
    }
    ImGui::SameLine(left + room - buttons);
    const std::string_view why_not = watched_tiles(ui, snapshot) ? kNoBookmarkOfTiles : "";
    if (button(ICON_MARK, ImVec2(0, 0), "Bookmarks this step, to return to and to compare. Key M.", why_not))
        ui.act(action::SetBookmark{});
    ImGui::SameLine();
    if (button("History", ImVec2(0, 0), "Undo history and bookmarks")) ImGui::OpenPopup("history");
    draw_history(ui, snapshot);
}

}  // namespace stencil
