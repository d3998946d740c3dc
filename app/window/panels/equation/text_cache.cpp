// Computes what the editor shows of a text: its pieces with their colours, and the list of completions.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cfloat>

#include "app/window/panels/equation/text_box.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"

namespace stencil {
namespace {

constexpr std::size_t kMostListed = 9;  // visible rows of the list
constexpr float kListedLine = 1.15f;    // height of a row, in lines of the text

// In the order of Ink; each is legible on both themes' backgrounds.
constexpr std::array<Hue, 10> kInks{{{0xe4e7eb, 0x1d232a},
                                     {0xf0a672, 0xa8400f},
                                     {0x5cd0c1, 0x0b6b61},
                                     {0xe8c26a, 0x7a5200},
                                     {0xcaa6f2, 0x6a3aa0},
                                     {0x8fbcff, 0x1c5abc},
                                     {0xa5d592, 0x3a6a1c},
                                     {0xff9fb8, 0xa02a62},
                                     {0xb9cf93, 0x4c6512},
                                     {0x98a1ad, 0x55606d}}};

}  // namespace

ImU32 ink_color(editing::Ink ink, Theme theme) {
    return kInks.at(std::size_t(ink)).in(theme);
}

TextCache& cache_of(EquationState& state) {
    if (!state.cache) state.cache = std::make_shared<TextCache>();
    TextCache& c = *state.cache;
    if (!c.made || c.text != state.edit.text()) {
        c = {};
        c.made = true;
        c.text = state.edit.text();
        c.statements = equation::readable_statements(c.text);
        c.names = editing::own_names(c.statements);
        c.pieces = editing::highlighted(c.text, c.names);
    }
    return c;
}

std::optional<std::size_t> draw_completions(const UiState& ui,
                                            const editing::Completion& list,
                                            ImVec2 word,
                                            float line) {
    const std::vector<editing::Candidate>& rows = list.candidates;
    const std::size_t chosen = ui.panel.equation.chosen, count = std::min(rows.size(), kMostListed);
    const std::size_t first = std::min(chosen - std::min(chosen, kMostListed / 2), rows.size() - count);
    float names = 0, helps = 0;
    ImFont* font = ImGui::GetIO().Fonts->Fonts[0];
    for (const editing::Candidate& c : rows) {
        names = std::max(names, text_width(c.text));
        helps = std::max(helps, font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, c.help.c_str()).x);
    }
    const ImVec2 padding(em(0.4f), em(0.3f)), room = ImGui::GetIO().DisplaySize;
    const float height = kListedLine * line;
    const ImVec2 size(std::min(names + helps + em(1) + 2 * padding.x, room.x),
                      float(count) * height + 2 * padding.y);
    const bool above = word.y + line + size.y > room.y;
    const ImVec2 place(std::max(0.0f, std::min(word.x, room.x - size.x)),
                       above ? word.y - size.y : word.y + line);
    ImGui::SetNextWindowPos(place);
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::Begin("##completions", nullptr, kPlainWindow | ImGuiWindowFlags_Tooltip);
    const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    ImDrawList* drawn = ImGui::GetWindowDrawList();
    std::optional<std::size_t> clicked;
    for (std::size_t i = 0; i < count; ++i) {
        const editing::Candidate& c = rows[first + i];
        const ImVec2 least(place.x + padding.x, place.y + padding.y + float(i) * height);
        const ImVec2 most(place.x + size.x - padding.x, least.y + height);
        const bool under = over && ImGui::IsMouseHoveringRect(least, most);
        const ImGuiCol back = under ? ImGuiCol_HeaderHovered : ImGuiCol_HeaderActive;
        if (first + i == chosen || under) drawn->AddRectFilled(least, most, ImGui::GetColorU32(back));
        drawn->AddText(least, ink_color(c.ink, ui.preferences.theme), c.text.c_str());
        drawn->AddText(font,
                       font->FontSize,
                       ImVec2(least.x + names + em(1), least.y),
                       ImGui::GetColorU32(faint_color()),
                       c.help.c_str());
        if (under && ImGui::IsMouseClicked(0)) clicked = first + i;
    }
    ImGui::End();
    ImGui::PopStyleVar();
    return clicked;
}

}  // namespace stencil
