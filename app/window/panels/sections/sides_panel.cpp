// The conditions of a component at its four sides, as menus around a square, which write the equation's text.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/model/equations.h"
#include "sim/model/side_conditions.h"
#include "sim/model/text/text_error.h"

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

// The run's text, one component of it, and its conditions.
struct SidesOf {
    const std::string& text;
    std::string component;
    std::array<SideCondition, 4> conditions;
};

int lines_of(const SideCondition& condition) {
    return condition.kind == Kind::robin ? 3 : 2;  // the menu and the numbers
}

float height_of(const SideCondition& condition) {
    const float spacing = ImGui::GetStyle().ItemSpacing.y;
    return float(lines_of(condition)) * (ImGui::GetFrameHeight() + spacing) - spacing;
}

void draw_number(UiState& ui,
                 const SidesOf& sides,
                 Side side,
                 const char* label,
                 std::string SideCondition::*number,
                 float width) {
    SideCondition condition = sides.conditions[std::size_t(side)];
    const std::string tip =
        fmt::format("{} in {}\nA number, or a formula of x, y, t and parameters, e.g. sin(y)",
                    label,
                    form_of(row_of(condition.kind), sides.component));
    if (condition.kind == Kind::robin) {
        ImGui::AlignTextToFramePadding();
        ImGui::TextUnformatted(label);
        tooltip(tip);
        same_line();
        width = std::max(1.0f, width - text_width(label) - ImGui::GetStyle().ItemInnerSpacing.x);
    }
    ImGui::SetNextItemWidth(width);
    text_field(
        fmt::format("##{}", label).c_str(), ui, condition.*number, tip, [&](const std::string& entered) {
            condition.*number = entered;
            const std::string text = text_with_side(sides.text, sides.component, side, condition);
            equation::read_equations(text);
            if (text != sides.text) change(ui, "equation", text);
        });
}

void draw_kinds(UiState& ui, const SidesOf& sides, Side side, const std::string& name) {
    const SideCondition& now = sides.conditions[std::size_t(side)];
    const auto tip = [&](const KindRow& kind) {
        const std::string form = kind.kind == Kind::typed ? now.typed : form_of(kind, sides.component);
        return fmt::format("{}: {}\n{}", name, form, kind.help);
    };
    const KindRow& current = row_of(now.kind);
    combo("##kind", current.label, tip(current), [&] {
        for (const KindRow& kind : kKinds) {
            if (kind.kind == Kind::typed && now.kind != Kind::typed) continue;
            if (!choice(kind.label, &kind == &current, tip(kind)) || &kind == &current) continue;
            const SideCondition chosen{.kind = kind.kind, .value = now.value, .factor = now.factor};
            change(ui, "equation", text_with_side(sides.text, sides.component, side, chosen));
        }
    });
}

void draw_side(UiState& ui, const SidesOf& sides, Side side, ImVec2 at, float width) {
    const SideCondition& now = sides.conditions[std::size_t(side)];
    const std::string name = equation::side_words()[std::size_t(side)];
    ImGui::PushID(name.c_str());
    ImGui::SetCursorScreenPos(at);
    ImGui::BeginGroup();
    ImGui::SetNextItemWidth(width);
    draw_kinds(ui, sides, side, name);
    if (now.kind == Kind::typed) fitted_text(now.typed, width, faint_color(), now.typed);
    if (now.kind == Kind::robin) draw_number(ui, sides, side, "B", &SideCondition::factor, width);
    if (now.kind == Kind::value || now.kind == Kind::flux || now.kind == Kind::robin)
        draw_number(ui, sides, side, "V", &SideCondition::value, width);
    ImGui::EndGroup();
    ImGui::PopID();
}

// Draws the field's outline: a held value thick, periodic sides faint.
void draw_square(const SidesOf& sides, ImVec2 least, ImVec2 most) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::array<std::array<ImVec2, 2>, 4> edges{{{least, {least.x, most.y}},
                                                      {{{most.x, least.y}, most}},
                                                      {least, {most.x, least.y}},
                                                      {{{least.x, most.y}, most}}}};
    for (std::size_t side = 0; side < edges.size(); ++side) {
        const Kind kind = sides.conditions[side].kind;
        const ImVec4 color = kind == Kind::periodic ? faint_color() : text_color();
        const float thickness = kind == Kind::value ? em(0.25f) : std::max(1.0f, em(0.07f));
        list->AddLine(edges[side][0], edges[side][1], ImGui::GetColorU32(color), thickness);
    }
    const ImVec2 size = ImGui::CalcTextSize(sides.component.c_str());
    list->AddText(ImVec2((least.x + most.x - size.x) / 2, (least.y + most.y - size.y) / 2),
                  ImGui::GetColorU32(ImGuiCol_Text),
                  sides.component.c_str());
}

// Returns the component whose sides are shown, after a choice of it if there are several.
std::string choose_component(UiState& ui, const equation::Equations& equations) {
    std::vector<std::string> names;
    for (const equation::Evolving& one : equations.components)
        if (!one.tangent_of) names.push_back(one.name);
    for (const equation::Elliptic& one : equations.elliptic)
        if (!one.tangent) names.push_back(one.name);
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
    const bool open = ImGui::TreeNodeEx("Sides", ImGuiTreeNodeFlags_NoTreePushOnOpen);
    tooltip("The condition at each side, which writes itself into the equation's text");
    if (!open || snapshot.text.empty()) return;
    const std::string component = choose_component(ui, *snapshot.now.model->equations);
    const SidesOf sides{snapshot.text, component, side_conditions(snapshot.text, component)};
    const ImVec2 at = ImGui::GetCursorScreenPos(), gap = ImGui::GetStyle().ItemSpacing;
    const float width = std::max(1.0f, (ImGui::GetContentRegionAvail().x - 2 * gap.x) / 3);
    const auto height = [&](Side side) { return height_of(sides.conditions[std::size_t(side)]); };
    const float square = std::max({height(Side::left), height(Side::right), 0.7f * width});
    const float first = at.x, second = first + width + gap.x, third = second + width + gap.x;
    const float middle = at.y + height(Side::top) + gap.y, last = middle + square + gap.y;
    const auto centred = [&](Side side) { return middle + (square - height(side)) / 2; };
    ImGui::PushID("sides");
    draw_side(ui, sides, Side::top, {second, at.y}, width);
    draw_side(ui, sides, Side::left, {first, centred(Side::left)}, width);
    draw_square(sides, {second, middle}, {second + width, middle + square});
    draw_side(ui, sides, Side::right, {third, centred(Side::right)}, width);
    draw_side(ui, sides, Side::bottom, {second, last}, width);
    ImGui::PopID();
    ImGui::SetCursorScreenPos({at.x, last});
    ImGui::Dummy({3 * width + 2 * gap.x, height(Side::bottom)});
}

}  // namespace stencil
