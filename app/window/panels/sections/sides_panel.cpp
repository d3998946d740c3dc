// Menus for a component's boundary conditions, around a square at its four sides, and within it at the edge
// of a shape. They write the equation's text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/model/equations.h"
#include "sim/model/side_conditions.h"
#include "sim/model/text/text_error.h"
#include "sim/problem/settings/setting_names.h"

namespace stencil {
namespace {

using equation::Side;
using Kind = SideCondition::Kind;

struct KindRow {
    Kind kind;
    const char* label;
    std::string_view form, help;  ///< {0}: the component
};
constexpr auto kKinds = std::to_array<KindRow>({
    {Kind::value, "value", "{0} = V", "The value on the side (Dirichlet)"},
    {Kind::flux, "flux", "flux({0}) = V", "The slope outwards across the side (Neumann); 0 is insulated"},
    {Kind::robin, "Robin", "{0} + B*flux({0}) = V", "A mixture of value and slope (Robin)"},
    {Kind::clamped,
     "clamped",
     "{0} = V, flux({0}) = S",
     "A value and a slope together, for equations of fourth order"},
    {Kind::zero, "zero", "zero", "What lies outside is 0: the cells beyond this side"},
    {Kind::periodic,
     "periodic",
     "periodic",
     "This side is joined to the opposite one, which becomes periodic too"},
    {Kind::typed, "as typed", "", "A condition of another form, as in the text"},
});

const KindRow& row_of(Kind kind) {
    return *std::ranges::find(kKinds, kind, &KindRow::kind);
}

std::string form_of(const KindRow& kind, std::string_view component) {
    return fmt::format(fmt::runtime(kind.form), component);
}

// A condition of the run's text: at a side, or at the edge of the model's shape.
struct Place {
    std::string name;      ///< left, edge ...
    std::string quantity;  ///< the component, or the complex quantity that it is a part of
    SideCondition condition;
    std::function<std::string(const SideCondition&)> text_with;  ///< the text with another condition here
    bool is_side = true;  ///< else the edge, which is neither periodic nor clamped
};

bool has_two_numbers(const Place& place) {
    return place.condition.kind == Kind::robin || place.condition.kind == Kind::clamped;
}

float height_of(const Place& place) {
    const float lines = has_two_numbers(place) ? 3 : 2;  // the menu and the numbers
    return lines * ImGui::GetFrameHeightWithSpacing() - ImGui::GetStyle().ItemSpacing.y;
}

void draw_number(
    UiState& ui, const Place& place, const char* label, std::string SideCondition::*number, float width) {
    SideCondition condition = place.condition;
    const std::string tip =
        fmt::format("{} in {}\nA number, or a formula of x, y, t and parameters, e.g. sin(y)",
                    label,
                    form_of(row_of(condition.kind), place.quantity));
    if (has_two_numbers(place)) {
        const float room = em(1);
        ImGui::AlignTextToFramePadding();
        ImGui::TextUnformatted(label);
        tooltip(tip);
        ImGui::SameLine(0, room - text_width(label));
        width = std::max(1.0f, width - room);
    }
    ImGui::SetNextItemWidth(width);
    text_field(
        fmt::format("##{}", label).c_str(), ui, condition.*number, tip, [&](const std::string& entered) {
            const std::string before = std::exchange(condition.*number, entered);
            const std::string text = place.text_with(condition);
            equation::read_equations(text);
            if (entered != before) change(ui, setting_name::equation, text);
        });
}

// Whether the equation takes a condition of the kind here.
bool is_offered(const KindRow& kind, const Place& place, const SideCondition& condition) {
    if (kind.kind == place.condition.kind) return true;
    if (kind.kind == Kind::typed) return false;
    if (kind.kind == Kind::periodic) return place.is_side;
    if (kind.kind != Kind::clamped) return true;
    if (!place.is_side) return false;
    try {
        equation::read_equations(place.text_with(condition));
        return true;
    } catch (const equation::TextError&) {
        return false;
    }
}

void draw_kinds(UiState& ui, const Place& place) {
    const SideCondition& now = place.condition;
    const auto tip = [&](const KindRow& kind) {
        const std::string form = kind.kind == Kind::typed ? now.typed : form_of(kind, place.quantity);
        return fmt::format("{}: {}\n{}", place.name, form, kind.help);
    };
    const KindRow& current = row_of(now.kind);
    combo("##kind", current.label, tip(current), [&] {
        for (const KindRow& kind : kKinds) {
            const SideCondition next{
                .kind = kind.kind, .value = now.value, .factor = now.factor, .slope = now.slope};
            if (!is_offered(kind, place, next)) continue;
            if (!choice(kind.label, &kind == &current, tip(kind)) || &kind == &current) continue;
            change(ui, "equation", place.text_with(next));
        }
    });
}

void draw_place(UiState& ui, const Place& place, ImVec2 at, float width) {
    const SideCondition& now = place.condition;
    const IdScope scope(place.name.c_str());
    ImGui::SetCursorScreenPos(at);
    ImGui::BeginGroup();
    ImGui::SetNextItemWidth(width);
    draw_kinds(ui, place);
    if (now.kind == Kind::typed) fitted_text(now.typed, width, faint_color(), now.typed);
    if (now.kind == Kind::robin) draw_number(ui, place, "B", &SideCondition::factor, width);
    if (now.kind == Kind::value || now.kind == Kind::flux || has_two_numbers(place))
        draw_number(ui, place, "V", &SideCondition::value, width);
    if (now.kind == Kind::clamped) draw_number(ui, place, "S", &SideCondition::slope, width);
    ImGui::EndGroup();
}

// Draws the field's outline with the component's name, in the middle or above: a held value thick, periodic
// sides faint.
void draw_square(
    std::span<const Place> sides, const std::string& component, ImVec2 least, ImVec2 most, bool above) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::array<std::array<ImVec2, 2>, 4> edges{{{least, {least.x, most.y}},
                                                      {{{most.x, least.y}, most}},
                                                      {least, {most.x, least.y}},
                                                      {{{least.x, most.y}, most}}}};
    for (std::size_t side = 0; side < edges.size(); ++side) {
        const Kind kind = sides[side].condition.kind;
        const ImVec4 color = kind == Kind::periodic ? faint_color() : text_color();
        const float thickness =
            kind == Kind::value || kind == Kind::clamped ? em(0.25f) : std::max(1.0f, em(0.07f));
        list->AddLine(edges[side][0], edges[side][1], ImGui::GetColorU32(color), thickness);
    }
    const ImVec2 size = ImGui::CalcTextSize(component.c_str());
    const float y = above ? least.y + em(0.4f) : (least.y + most.y - size.y) / 2;
    list->AddText(
        ImVec2((least.x + most.x - size.x) / 2, y), ImGui::GetColorU32(ImGuiCol_Text), component.c_str());
}

std::vector<Place> side_places(const std::string& text, const std::string& component) {
    std::vector<Place> places;
    const auto conditions = side_conditions(text, component);
    for (const Side side : equation::kSides)
        places.push_back({equation::side_words()[std::size_t(side)],
                          component,
                          conditions[std::size_t(side)],
                          [&text, component, side](const SideCondition& condition) {
                              return text_with_side(text, component, side, condition);
                          }});
    return places;
}

std::optional<Place> edge_place(const std::string& text, const std::string& component) {
    const auto condition = edge_condition(text, component);
    if (!condition) return std::nullopt;
    return Place{
        std::string(equation::kEdge),
        edge_quantity(text, component),
        *condition,
        [&text, component](const SideCondition& other) { return text_with_edge(text, component, other); },
        false};
}

// Returns the component whose sides are shown, after a choice of it if there are several.
std::string choose_component(UiState& ui, const equation::Equations& equations) {
    std::vector<std::string> names;
    for (const equation::Evolving& one : equations.components)
        if (!one.tangent_of) names.push_back(one.name);
    for (const equation::Elliptic& one : equations.elliptic)
        if (!one.tangent && !equations.solved_alone) names.push_back(one.name);
    std::string& chosen = ui.panel.simulation.side_component;
    if (std::ranges::find(names, chosen) == names.end()) chosen = names.front();
    if (names.size() == 1) return chosen;
    if (const auto clicked =
            name_row("Component", names, chosen, "The component whose sides are shown below"))
        chosen = names[*clicked];
    return chosen;
}

}  // namespace

void draw_sides(UiState& ui, const Snapshot& snapshot) {
    constexpr std::string_view kTip =
        "The condition at each side, and at the edge of a shape, which writes itself into the equation's "
        "text";
    if (!unfolded("Sides", kTip) || snapshot.text.empty()) return;
    const std::string component = choose_component(ui, *snapshot.now.model->equations);
    const std::vector<Place> sides = side_places(snapshot.text, component);
    const auto edge = edge_place(snapshot.text, component);
    const auto of = [&](Side side) -> const Place& { return sides[std::size_t(side)]; };
    const ImVec2 at = ImGui::GetCursorScreenPos(), gap = ImGui::GetStyle().ItemSpacing;
    const float width = std::max(1.0f, std::floor((ImGui::GetContentRegionAvail().x - 2 * gap.x) / 3));
    const auto height = [&](Side side) { return height_of(of(side)); };
    // The square has the component's name and, below it, the edge of the shape.
    const float pad = std::round(em(0.4f)), line = ImGui::GetTextLineHeight();
    const float within = edge ? 2 * line + height_of(*edge) + 4 * pad : 0;
    const float square = std::max({height(Side::left), height(Side::right), 0.7f * width, within});
    const float first = at.x, second = first + width + gap.x, third = second + width + gap.x;
    const float middle = at.y + height(Side::top) + gap.y, last = middle + square + gap.y;
    const auto centred = [&](Side side) { return middle + (square - height(side)) / 2; };
    ImGui::PushID("sides");
    draw_place(ui, of(Side::top), {second, at.y}, width);
    draw_place(ui, of(Side::left), {first, centred(Side::left)}, width);
    draw_square(sides, component, {second, middle}, {second + width, middle + square}, edge.has_value());
    if (edge) {
        const float room = std::max(1.0f, width - 2 * pad);
        const std::string what = fitted("edge of shape", room);
        ImGui::SetCursorScreenPos({second + (width - text_width(what)) / 2, middle + line + 2 * pad});
        colored_text(what, faint_color());
        draw_place(ui, *edge, {second + pad, middle + 2 * line + 3 * pad}, room);
    }
    draw_place(ui, of(Side::right), {third, centred(Side::right)}, width);
    draw_place(ui, of(Side::bottom), {second, last}, width);
    ImGui::PopID();
    ImGui::SetCursorScreenPos({at.x, last});
    ImGui::Dummy({3 * width + 2 * gap.x, height(Side::bottom)});
}

}  // namespace stencil
