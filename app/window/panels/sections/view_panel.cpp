#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "app/window/canvas/canvas_painter.h"
#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/model/equations.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/run/output/exports.h"
#include "sim/view/arrows.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"

namespace stencil {
namespace {

// Fills a rectangle with a colour map from left to right.
void draw_swatch(const Colormap& map, ImVec2 least, ImVec2 most) {
    constexpr int kPieces = 32;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto color = [&](int piece) {
        return packed(map.colors[std::size_t(std::min(255, piece * 256 / kPieces))]);
    };
    for (int i = 0; i < kPieces; ++i) {
        const float left = least.x + (most.x - least.x) * float(i) / kPieces;
        const float right = least.x + (most.x - least.x) * float(i + 1) / kPieces;
        list->AddRectFilledMultiColor(
            ImVec2(left, least.y), ImVec2(right, most.y), color(i), color(i + 1), color(i + 1), color(i));
    }
    list->AddRect(least, most, ImGui::GetColorU32(ImGuiCol_Border));
}

// Draws the colours over the right part of the last item.
void swatch_in_item(const Colormap& map, float keep) {
    const ImVec2 least = ImGui::GetItemRectMin(), most = ImGui::GetItemRectMax();
    const float pad = ImGui::GetStyle().FramePadding.y;
    const float left = std::min(most.x - keep, least.x + em(5.2f));
    draw_swatch(map, ImVec2(left, least.y + pad), ImVec2(most.x - keep - pad, most.y - pad));
}

constexpr Segment kScales[] = {{"Linear", "Linear in the values"},
                               {"Centred", "Linear, with zero in the middle"},
                               {"Log", "Logarithmic for values above zero; all others have the first colour"},
                               {"Symlog",
                                "Logarithmic for values of both signs, linear near zero: sign(v) log(1 + |v| "
                                "/ C), with C a thousandth of the range's larger end"}};

struct Colours {
    const char* id;
    std::string_view table, range;  ///< names of settings
    std::string current;            ///< the map's name
    const RangeRule& rule;
    std::optional<ValueRange> shown;  ///< present range of the colours, if a pane with them is on the canvas
    const RunSpec& now;
    const std::string& formula;
};

void send(UiState& ui, const Colours& colours, std::string_view setting, std::string_view value) {
    change_colors(ui, colours.now, colours.formula, setting, value);
}

std::string_view without_ending(std::string_view table) {
    const bool reversed = table.ends_with(kReversed);
    return table.substr(0, table.size() - (reversed ? kReversed.size() : 0));
}

void draw_table(UiState& ui, const Colours& colours) {
    const std::string tip =
        fmt::format("Colour map, here and in exported pictures\n--{} NAME", colours.table);
    row("Map", tip);
    const std::string_view plain = without_ending(colours.current);
    const auto closed = [&] {
        tooltip(tip);
        swatch_in_item(colormap(colours.current), ImGui::GetFrameHeight());
    };
    combo("##table", colours.current.c_str(), closed, [&] {
        for (const Colormap& map : colormaps()) {
            const std::string_view what = map.diverging ? "Diverging: for values of both signs"
                                          : map.cyclic  ? "Cyclic: for angles and phases"
                                                        : "";
            if (choice(map.name.c_str(), map.name == plain, what)) send(ui, colours, colours.table, map.name);
            swatch_in_item(map, 0);
        }
    });
    bool reversed = plain != colours.current;
    if (checkbox_row("Reversed", &reversed, "Reverses the colours\n--colormap NAME_r"))
        send(ui, colours, colours.table, std::string(plain) + std::string(reversed ? kReversed : ""));
}

void send_rule(UiState& ui, const Colours& colours, const RangeRule& rule) {
    send(ui, colours, colours.range, to_string(rule));
}

void draw_scale(UiState& ui, const Colours& colours) {
    const auto clicked = segmented_row(
        "Scale",
        fmt::format("How values map to colours\n--{} log|symlog|centred[:RANGE]", colours.range),
        kScales,
        int(colours.rule.scale));
    if (!clicked) return;
    RangeRule rule = colours.rule;
    rule.scale = Scale(*clicked);
    if (rule.kind == RangeRule::Kind::fixed) {  // a logarithmic range is above zero
        const ValueRange range = color_range(rule.low, rule.high, rule.scale, false);
        rule.low = range.low;
        rule.high = range.high;
    }
    send_rule(ui, colours, rule);
}

RangeRule starting_rule(RangeRule::Kind kind, const Colours& colours) {
    const Scale scale = colours.rule.scale;
    if (kind == RangeRule::Kind::percentile) return {kind, 5, 95, scale};
    if (kind == RangeRule::Kind::automatic) return {kind, 0, 0, scale};
    const ValueRange shown = colours.shown.value_or(color_range(0, 1, scale, false));
    return {kind, shown.low, shown.low < shown.high ? shown.high : shown.low + 1, scale};
}

void draw_ends(UiState& ui, const Colours& colours) {
    RangeRule rule = colours.rule;
    const bool percentile = rule.kind == RangeRule::Kind::percentile, log = rule.scale == Scale::log;
    row(percentile ? "Percentiles" : "From, to", "Where the colours begin and end");
    const float width = button_size(2).x;
    // Each end stays on its side of the other.
    const double least = percentile ? 0 : log ? 1e-300 : std::numeric_limits<double>::lowest();
    const double most = percentile ? 100 : std::numeric_limits<double>::max();
    const NumberRange lows{least, std::nextafter(rule.high, least), "must be below the other end"};
    const NumberRange highs{std::nextafter(rule.low, most), most, {}, "must be above the other end"};
    const auto draw_end = [&](const char* id, double& end, const NumberRange& range, const char* tip) {
        ImGui::SetNextItemWidth(width);
        const auto typed = number_input(id, ui, end, range, tip);
        end = typed.value_or(end);
        return typed.has_value();
    };
    const bool low = draw_end(
        "##low",
        rule.low,
        lows,
        percentile ? "Lower percentile: values below have the first colour" : "Value of the first colour");
    same_line();
    const bool high = draw_end(
        "##high",
        rule.high,
        highs,
        percentile ? "Upper percentile: values above have the last colour" : "Value of the last colour");
    if (low || high) send_rule(ui, colours, rule);
}

void draw_range(UiState& ui, const Colours& colours) {
    const std::string tip =
        fmt::format("The values that the colours cover\n--{} auto|percentile:LO:HI|MIN:MAX", colours.range);
    static constexpr Segment kSegments[] = {
        {"Auto", "From the smallest to the largest value of each frame"},
        {"Percentiles", "Between two percentiles of each frame, so that outliers do not matter"},
        {"Fixed", "Two fixed numbers, so that pictures can be compared"}};
    if (const auto clicked = segmented_row("Range", tip, kSegments, int(colours.rule.kind)))
        send_rule(ui, colours, starting_rule(RangeRule::Kind(*clicked), colours));
    if (colours.rule.kind != RangeRule::Kind::automatic) draw_ends(ui, colours);
    if (button_row("Fit range to view",
                   "Fixes the range at the smallest and largest visible value",
                   colours.shown ? "" : "No pane shows it"))
        ui.ask(FitRange{std::string(colours.range), colours.formula});
    if (colours.shown) {
        row("Shown", "Present range of the colours");
        const std::string text =
            fmt::format("{} to {}", format_short(colours.shown->low), format_short(colours.shown->high));
        paragraph(text, faint_color());
    }
}

std::optional<ValueRange> shown_range(const Snapshot& snapshot, bool laplacian, const std::string& formula) {
    if (!snapshot.frame) return std::nullopt;
    for (const PaneImage& image : snapshot.frame->panes)
        if (image.formula == formula && range_setting(image.request.pane) ==
                                            (laplacian ? setting_name::laplacian_range : setting_name::range))
            return image.range;
    return std::nullopt;
}

void draw_contours(UiState& ui, const Snapshot& snapshot) {
    text_row(
        {ui,
         "Contours",
         "Lines of equal value, here and in figures: their levels, e.g. 0.1, 0.25, or their number; empty: "
         "none\n--contours L1,L2,...|N"},
        snapshot.now.contours,
        [&](std::string text) {
            std::erase(text, ' ');
            change(ui, setting_name::contours, read_contours(text));
        });
}

void draw_arrow_choice(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const std::string arrows = now.drawn_arrows();
    const auto offer = [&](const std::string& what, std::string_view tip) {
        if (choice(what.empty() ? "none" : what.c_str(), arrows == what, tip))
            change(ui, setting_name::arrows, what);
    };
    constexpr std::string_view kTip =
        "Arrows over the field, here and in figures: its gradient or flux, or two formulas as x and "
        "y\n--arrows gradient|flux|A,B";
    combo_row("Arrows", arrows.empty() ? "none" : arrows.c_str(), kTip, [&] {
        offer("", "");
        offer(std::string(kGradientArrows), "Gradient of the shown quantity, uphill");
        offer(std::string(kFluxArrows), "Opposite to the gradient, downhill, as heat flows");
        const auto& components = now.model->components;
        for (std::size_t i = 0; i + 1 < components.size(); ++i)
            offer(components[i].name + "," + components[i + 1].name, "");
        for (const auto& solved : now.model->equations->elliptic)
            offer(fmt::format("dy({0}),-dx({0})", solved.name),
                  "Along the lines of equal value, as of a stream function");
    });
    text_row({ui,
              "Arrows of",
              "Two formulas, x to the right and y down, e.g. u, -dx(v); empty: none\n--arrows A,B"},
             arrow_formulas(arrows).empty() ? "" : arrows,
             [&](const std::string& text) { change(ui, setting_name::arrows, read_arrows(text)); });
}

/// The colours that the controls change.
struct ShownColors {
    bool laplacian = false;        ///< the Laplacian's colours, not the field's
    std::vector<Pane> panes = {};  ///< the panes shown when these colours were chosen
};

void draw_height(UiState& ui) {
    constexpr std::string_view kTip =
        "Factor of the surface's height. Drag the surface to turn it; F resets all\n--surface "
        "AZ,EL,ZOOM,HEIGHT";
    row("Height", kTip);
    const SliderLook look{
        kLeastSurfaceHeight, kMostSurfaceHeight, "{:.2g}", true, {kLeastSurfaceHeight, kMostSurfaceHeight}};
    if (const auto edit = live_slider("##height", ui, ui.surface.height, look, kTip))
        ui.surface.height = std::clamp(edit->value, kLeastSurfaceHeight, kMostSurfaceHeight);
}

std::string view_tip(const PaneRow& row) {
    // The command line has no views of a session, so the tip names no option.
    if (is_of_session(row.pane)) return std::string(row.help);
    return fmt::format("{}\n--view {}", row.help, row.name);
}

}  // namespace

void draw_color_controls(UiState& ui, const Snapshot& snapshot, bool laplacian, const std::string& formula) {
    const RunSpec& now = snapshot.now;
    const Colours colours{laplacian ? "laplacian" : "values",
                          laplacian ? setting_name::laplacian_colormap : setting_name::colormap,
                          laplacian ? setting_name::laplacian_range : setting_name::range,
                          laplacian ? laplacian_colors(now, false).name : field_colors(now, formula).name,
                          laplacian ? now.laplacian_range : now.coloring(formula).range,
                          shown_range(snapshot, laplacian, formula),
                          now,
                          formula};
    const IdScope scope(colours.id);
    draw_table(ui, colours);
    draw_scale(ui, colours);
    draw_range(ui, colours);
}

const PaneRow& shown_view(const UiState& ui) {
    if (shows_components(ui)) return kComponents;
    return is_three_up(ui) ? kThreeUp : row_of(ui.panes.back());
}

std::string shown_title(const UiState& ui, const Snapshot& snapshot, bool brief) {
    const PaneRow& row = shown_view(ui);
    const History* history = snapshot.history.get();
    if (row.pane == Pane::from_bookmark && history && history->compared < history->bookmarks.size())
        return fmt::format(
            "{} {}", brief ? "From" : "Difference from", history->bookmarks[history->compared].name);
    return std::string(brief ? row.brief : row.title);
}

void view_combo(UiState& ui, const Snapshot& snapshot, const std::string& shown, std::string_view tip) {
    const auto rows = [&] {
        const bool three = is_three_up(ui);
        for (const PaneRow& row : panes())
            if (choice(row.title.data(), !three && row.pane == ui.panes.front(), view_tip(row)))
                show_pane(ui, row.pane);
        if (choice(kThreeUp.title.data(), three, view_tip(kThreeUp)) && !three) toggle_three_up(ui, snapshot);
        const auto components = component_panes(*snapshot.now.model);
        if (components.size() > 1 &&
            choice(kComponents.title.data(), ui.panes == components, view_tip(kComponents)))
            ui.panes = components;
        const auto others = [&](bool exist, const std::vector<Pane>& shows) {
            const PaneRow& row = row_of(shows.back());
            if (exist && choice(row.title.data(), ui.panes == shows, row.help)) ui.panes = shows;
        };
        others(snapshot.beside.run_b.has_value(), two_runs());
        others(snapshot.tiles != nullptr, {Pane::mosaic});
        others(snapshot.fit && snapshot.fit->has_fields(), fit_panes());
    };
    combo("##pane", shown.c_str(), tip, rows, ImGuiComboFlags_HeightLarge);
}

void draw_view(UiState& ui, const Snapshot& snapshot) {
    row("Show", "What the canvas shows\n--view NAME");
    view_combo(ui, snapshot, shown_title(ui, snapshot), view_tip(shown_view(ui)));
    if (shown_view(ui).pane == Pane::surface) draw_height(ui);
    checkbox_row("Smooth",
                 &ui.preferences.smooth,
                 "Interpolates between cells larger than a pixel; changes only the picture");
    checkbox_row("Axes", &ui.preferences.axes, "Coordinates around the field, with row 0 at the top");
    checkbox_row("Numbers in cells",
                 &ui.preferences.show_numbers,
                 "Writes the values into cells that are large enough");
    if (button_row("Lock range", "Fixes the colour range at its present values. Key N."))
        snap_range(ui, snapshot);
    draw_contours(ui, snapshot);
    draw_arrow_choice(ui, snapshot);
    if (snapshot.now.model->equations->inside)
        flag_row(ui,
                 "Shape's edge",
                 setting_name::outline,
                 snapshot.now.outline,
                 "The edge of the shape `inside = ...` as a line, here and in figures\n--outline true|false");
    subtitle("Colours", "Colours of the field and differences, and those of the Laplacian");
    static constexpr Segment kColoursOf[] = {{"Field", "Colours of the field and of differences"},
                                             {"Laplacian", "Colours of the Laplacian"}};
    // Another view begins with the colours that it shows.
    auto& [laplacian, colored] = ui.panel.of<ShownColors>();
    if (std::exchange(colored, ui.panes) != ui.panes) laplacian = ui.panes == std::vector{Pane::laplacian};
    if (const auto clicked = segmented("colours of", kColoursOf, laplacian ? 1 : 0))
        laplacian = *clicked == 1;
    draw_color_controls(ui, snapshot, laplacian, snapshot.now.shown());
}

}  // namespace stencil
