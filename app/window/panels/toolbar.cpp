#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/shortcuts.h"
#include "app/window/theme.h"

namespace stencil {
namespace {

/// An item of the toolbar: a button, or the controls that its command stands for. The least important ones
/// move to the menu first.
struct Item {
    std::string icon, label;
    std::string widest;  ///< longest label, so that the button's width is constant
    UiCommand command;
    int importance;
    bool begins_group = false;
    bool active = false;
    bool labelled = false;             ///< with its label, if there is room
    float narrow = 0, with_words = 0;  ///< widths without and with the label
    float less = 0;                    ///< reduction of the view item's width if the window is too narrow
    std::string_view why_not = {};
    std::string extra = {};  ///< appended to the tooltip

    bool is_pace() const { return command == faster; }
    bool is_view() const { return command == next_view; }
    /// The most used button is larger than the others.
    bool is_main() const { return command == toggle_running; }
};

constexpr int kAlways = 100;

float spacing_before(const Item& item) {
    return item.begins_group ? em(0.9f) : ImGui::GetStyle().ItemInnerSpacing.x;
}

std::string caption(const Item& item, const std::string& label) {
    if (item.icon.empty()) return label;
    return item.labelled ? item.icon + " " + label : item.icon;
}

float button_width(const Item& item) {
    const std::string& widest = item.widest.empty() ? item.label : item.widest;
    return text_width(caption(item, widest)) + (item.is_main() ? 5 : 2) * ImGui::GetStyle().FramePadding.x;
}

// --- The pace: label, half, number, double, automatic

constexpr const char* kPaceLabel = "Steps/frame";
constexpr const char* kAuto = "Auto";
constexpr const char* kHalf = "\xe2\x88\x92";

constexpr float kPaceWidth = 4.4f;  // of its number, in font sizes

float pace_width(bool labelled) {
    const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
    const float automatic = text_width(kAuto) + 2 * ImGui::GetStyle().FramePadding.x;
    const float label = labelled ? text_width(kPaceLabel) + gap : 0;
    return label + 2 * ImGui::GetFrameHeight() + em(kPaceWidth) + automatic + 3 * gap;
}

void draw_pace(UiState& ui, const Snapshot& snapshot, bool labelled) {
    const ImVec2 square(ImGui::GetFrameHeight(), 0);
    constexpr std::string_view kTip =
        "Steps per displayed frame: a number, 1/4 and the like for slow motion, or automatic: as many as "
        "keep the window smooth. Results do not depend on it.\n--steps-per-frame N|1/N|auto";
    if (labelled) {
        ImGui::AlignTextToFramePadding();
        ImGui::TextUnformatted(kPaceLabel);
        tooltip(kTip);
        same_line();
    }
    const bool automatic = snapshot.steps_per_frame == 0;
    const long long current = automatic ? snapshot.last_batch : snapshot.steps_per_frame;
    if (button(kHalf, square, with_keys(shortcut_of(slower)->what, slower))) slower(ui, snapshot);
    same_line();
    ImGui::SetNextItemWidth(em(kPaceWidth));
    const std::string pace = current < 1               ? "auto"
                             : ui.frames_per_step == 1 ? std::to_string(current)
                                                       : fmt::format("1/{}", ui.frames_per_step);
    text_field("##pace", ui, pace, kTip, [&](const std::string& text) { enter_pace(ui, snapshot, text); });
    same_line();
    if (button("+", square, with_keys(shortcut_of(faster)->what, faster))) faster(ui, snapshot);
    same_line();
    if (lit_button(kAuto, {0, 0}, automatic, "Automatic: as many steps as keep the window smooth")) {
        ui.frames_per_step = 1;
        ui.act(action::Pace{automatic ? std::max(1LL, current) : 0, snapshot.budget_ms});
    }
}

// --- The view, with shorter titles if there is no room

float view_width(bool labelled) {
    float widest = text_width(labelled ? kThreeUp.title : kThreeUp.brief);
    for (const PaneRow& row : panes())
        widest = std::max(widest, text_width(labelled ? row.title : row.brief));
    return widest + 2 * ImGui::GetStyle().FramePadding.x + ImGui::GetFrameHeight();
}

void draw_view_choice(UiState& ui, const Snapshot& snapshot, bool labelled, float width) {
    const PaneRow& shown = shown_view(ui);
    ImGui::SetNextItemWidth(width);
    const float room = width - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
    view_combo(ui,
               snapshot,
               fitted(shown_title(ui, snapshot, !labelled), std::max(room, em(2))),
               with_keys("What the canvas shows", next_view) +
                   (is_of_session(shown.pane) ? "" : fmt::format("\n--view {}", shown.name)));
}

// --- All items

std::vector<Item> items_of(const UiState& ui, const Snapshot& snapshot) {
    const bool dark = ui.preferences.theme == Theme::dark;
    const bool copied = says_copied(ui, "command");
    const bool goes_on = snapshot.running || snapshot.ordered;
    const char* run = snapshot.ordered ? "Stop" : goes_on ? "Pause" : "Run";
    // Icon, label, widest label, command, importance, whether it begins a group, whether it is active.
    std::vector<Item> items{
        {goes_on ? ICON_PAUSE : ICON_PLAY, run, "Pause", toggle_running, kAlways, false, goes_on},
        {ICON_STEP, "Step", "", act<action::Step>, 90},
        {ICON_RESET, "Reset", "", act<action::Reset>, 85},
        {"", "", "", faster, kAlways, true},
        {ICON_UNDO, "Undo", "", undo, 60, true},
        {ICON_REDO, "Redo", "", redo, 59},
        {"", "", "", next_view, kAlways, true},
        {ICON_FOLDER, "Open", "", show_open_popup, 68, true},
        {ICON_SAVE, "Export", "", export_now, 70},
        {ICON_COPY, copied ? "Copied" : "Copy", "Copied", copy_command_line, 30},
        {ICON_HELP, "Help", "", toggle<&UiState::help_open>, 65, true, ui.help_open},
        {dark ? ICON_SUN : ICON_MOON, dark ? "Light" : "Dark", "Light", toggle_theme, 20},
        {ICON_PANELS, "Hide", "", toggle_panels, 25},
    };
    for (Item& item : items) {
        if (item.is_main() || item.command == act<action::Step>) item.why_not = snapshot.why_not_run;
        if (item.command != undo && item.command != redo) continue;
        item.extra = item.command == undo ? snapshot.can_undo : snapshot.can_redo;
        if (item.extra.empty()) item.why_not = item.command == undo ? "Nothing to undo" : "Nothing to redo";
    }
    return items;
}

// Measures text once, however often the items are laid out.
void measure(Item& item) {
    const auto width = [&](bool labelled) {
        item.labelled = labelled;
        return item.is_pace()   ? pace_width(labelled)
               : item.is_view() ? view_width(labelled)
                                : button_width(item);
    };
    item.with_words = width(true);
    item.narrow = width(false);
}

float width_of(const Item& item) {
    const float width = item.labelled ? item.with_words : item.narrow;
    return item.less > 0 ? std::max(width - item.less, em(4)) : width;
}

float width_of(const std::vector<Item>& items) {
    float width = 0;
    for (const Item& item : items)
        width += (&item == items.data() ? 0 : spacing_before(item)) + width_of(item);
    return width;
}

// Removes the least important items until the others fit beside the menu's button.
std::vector<Item> fold(std::vector<Item>& items, float room) {
    std::vector<Item> folded;
    while (!items.empty() && width_of(items) > room) {
        const auto least = std::ranges::min_element(items, {}, &Item::importance);
        if (least->importance == kAlways) break;
        folded.insert(folded.begin(), *least);
        const bool began_group = least->begins_group;
        const auto next = items.erase(least);
        if (began_group && next != items.end()) next->begins_group = true;
    }
    const float excess = std::max(0.0f, width_of(items) - room);
    for (Item& item : items)
        if (item.is_view()) item.less = excess;
    return folded;
}

// Adds labels as far as there is room, the most important ones first.
void add_words(std::vector<Item>& items, float room) {
    std::vector<Item*> order;
    for (Item& item : items) order.push_back(&item);
    std::ranges::stable_sort(order, std::ranges::greater(), &Item::importance);
    for (Item* item : order) {
        item->labelled = true;
        if (width_of(items) <= room) continue;
        item->labelled = false;
        return;
    }
}

std::string tip_of(const Item& item) {
    const Shortcut* shortcut = shortcut_of(item.command);
    const std::string what = shortcut ? std::string(shortcut->what) : item.label;
    return with_keys(item.extra.empty() ? what : fmt::format("{}: {}", what, item.extra), item.command);
}

// Draws a popup, if it is open, below the last item and within the window.
template <class F>
void popup_below(const char* id, float width, F&& draw) {
    const ImVec2 least = ImGui::GetItemRectMin(), most = ImGui::GetItemRectMax();
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const bool right = (least.x + most.x) / 2 > screen.x / 2;
    const ImVec2 corner(right ? most.x : least.x, most.y + em(0.5f));
    ImGui::SetNextWindowPos(corner, ImGuiCond_Appearing, ImVec2(right ? 1.0f : 0.0f, 0));
    // Without a limit it would scroll only once it is taller than the whole window.
    ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, std::max(em(5), screen.y - corner.y - em(0.5f))});
    if (width > 0) ImGui::SetNextWindowSize({std::min(width, screen.x - em(1)), 0});
    if (!ImGui::BeginPopup(id)) return;
    draw();
    ImGui::EndPopup();
}

// Opened by its button, its key or the menu, so it belongs to the toolbar.
void draw_open_popup(UiState& ui, const Snapshot& snapshot) {
    if (std::exchange(ui.panel.open_popup_wanted, false)) ImGui::OpenPopup("open");
    popup_below("open", em(22), [&] { draw_open_choice(ui, snapshot); });
}

void draw_item(const Item& item, UiState& ui, const Snapshot& snapshot) {
    if (item.is_pace()) return draw_pace(ui, snapshot, item.labelled);
    if (item.is_view()) return draw_view_choice(ui, snapshot, item.labelled, width_of(item));
    // The name behind ### keeps the button's identity while its caption changes.
    const std::string name =
        fmt::format("{}###{}", caption(item, item.label), shortcut_of(item.command)->what);
    const ImVec2 size(width_of(item), item.is_main() ? toolbar_height() : 0);
    const bool exports = item.command == export_now;
    if (lit_button(name.c_str(), size, item.active, tip_of(item), item.why_not)) {
        if (exports)
            ImGui::OpenPopup("export");
        else
            item.command(ui, snapshot);
    }
    if (item.command == show_open_popup) draw_open_popup(ui, snapshot);
    if (exports) popup_below("export", em(29), [&] { draw_export_choice(ui, snapshot); });
}

TourSpot spot_of(const Item& item) {
    return item.is_view()                      ? TourSpot::view
           : item.is_main()                    ? TourSpot::run
           : item.command == act<action::Step> ? TourSpot::step
                                               : TourSpot::none;
}

void draw_more(const std::vector<Item>& folded, UiState& ui, const Snapshot& snapshot) {
    if (button("More", ImVec2(0, 0), "More commands")) ImGui::OpenPopup("more");
    const bool opens = std::ranges::find(folded, UiCommand(show_open_popup), &Item::command) != folded.end();
    if (opens) draw_open_popup(ui, snapshot);
    popup_below("more", 0, [&] {
        for (Item item : folded) {
            const Shortcut* shortcut = shortcut_of(item.command);
            item.labelled = true;
            const std::string label = caption(item, std::string(shortcut->what));
            const std::string keys = shortcut->keys();
            if (ImGui::MenuItem(label.c_str(), keys.c_str(), item.active, item.why_not.empty()))
                item.command(ui, snapshot);
            tooltip(item.why_not.empty() ? tip_of(item) : item.why_not);
        }
    });
}

}  // namespace

float toolbar_height() {
    return std::round(1.35f * ImGui::GetFrameHeight());
}

void draw_toolbar(UiState& ui, const Snapshot& snapshot) {
    std::vector<Item> items = items_of(ui, snapshot);
    for (Item& item : items) measure(item);
    const float room = ImGui::GetContentRegionAvail().x;
    const float more =
        text_width("More") + 2 * ImGui::GetStyle().FramePadding.x + ImGui::GetStyle().ItemInnerSpacing.x;
    std::vector<Item> folded;
    if (width_of(items) > room)
        folded = fold(items, room - more);
    else
        add_words(items, room);
    const float top = ImGui::GetCursorPosY();
    const float middle = top + std::round((toolbar_height() - ImGui::GetFrameHeight()) / 2);
    float x = ImGui::GetCursorPosX();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) x += spacing_before(items[i]);
        ImGui::SetCursorPos(ImVec2(x, items[i].is_main() ? top : middle));
        ImGui::BeginGroup();
        draw_item(items[i], ui, snapshot);
        ImGui::EndGroup();
        mark(ui, spot_of(items[i]));
        x += ImGui::GetItemRectSize().x;
    }
    if (!folded.empty()) {
        ImGui::SetCursorPos(ImVec2(x + ImGui::GetStyle().ItemInnerSpacing.x, middle));
        draw_more(folded, ui, snapshot);
    }
    if (ui.asked<CopyText>()) say_copied(ui, "command");
}

}  // namespace stencil
