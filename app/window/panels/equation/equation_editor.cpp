// The equation's editor, in the side panel or in a pane beside the canvas, and its way to the session.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "app/window/panels/commands.h"
#include "app/window/panels/equation/text_box.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/editing/reference_card.h"
#include "sim/model/equations.h"
#include "sim/model/text/text_error.h"
#include "sim/problem/settings/setting_names.h"

namespace stencil {
namespace {

constexpr double kQuiet = 0.25;  // seconds
constexpr double kHold = 0.5;
constexpr int kFewestLines = 5, kMostLines = 18;
constexpr float kLinesBelow = 4.4f;  // room for an error, or for a note if there is none

// --- The session

int newest_message(const Snapshot& snapshot) {
    return snapshot.messages.empty() ? 0 : snapshot.messages.back().id;
}

// Returns the session's text, or the model's before the session exists.
const std::string& text_of(const Snapshot& snapshot) {
    return snapshot.text.empty() ? snapshot.now.model->text : snapshot.text;
}

// Returns why the session refused the text that was sent last; null if it did not.
const Message* refusal(const EquationState& state, const Snapshot& snapshot) {
    if (state.edit.text() == text_of(snapshot) || state.typed_at >= 0 || ImGui::GetTime() < state.hold_until)
        return nullptr;
    const auto found = std::ranges::find_if(snapshot.messages, [&](const Message& one) {
        return one.id > state.messages_before && one.level == Message::Level::error &&
               one.subject == setting_name::equation;
    });
    return found == snapshot.messages.end() ? nullptr : &*found;
}

// Shows the session's text. While the user types a text that the session does not have, changed settings of
// the session's text are written into it, so that sliders and text agree; another text replaces it, and undo
// restores it.
void follow(EquationState& state, const Snapshot& snapshot) {
    const std::string& text = text_of(snapshot);
    if (refusal(state, snapshot)) state.sent.clear();
    const bool seen = text == state.seen && !state.model.empty();
    if (!state.draft.empty() && snapshot.frame && !snapshot.ordered && seen) {
        state.edit.take(std::exchange(state.draft, {}));
        state.typed_at = ImGui::GetTime();
    }
    if (state.typed_at >= 0 || ImGui::GetTime() < state.hold_until || seen) return;
    const bool first = state.seen.empty();
    const std::string model_before = std::exchange(state.model, snapshot.now.model->text);
    const bool same = state.model == model_before || state.model == state.sent;
    const bool own = same && state.edit.text() != state.seen && state.edit.text() != state.sent;
    const std::string before = std::exchange(state.seen, text);
    if (first) {
        state.edit.begin(text);
    } else {
        const bool answers = !state.sent.empty() && state.edit.text() == state.sent;
        state.edit.take(own ? editing::merged(state.edit.text(), before, text) : text, answers);
        if (answers || state.model != model_before) state.sent.clear();
    }
    state.mistake = own ? find_mistake(state.edit.text()) : std::nullopt;
}

void apply(UiState& ui, const Snapshot& snapshot) {
    EquationState& state = ui.panel.equation;
    state.typed_at = -1;
    const std::string& text = state.edit.text();
    state.mistake = find_mistake(text);
    if (state.mistake || text == text_of(snapshot)) return;
    ui.act(action::Change{setting_name::equation, text, state.goes_on});
    state.sent = text;
    state.goes_on = true;
    state.messages_before = newest_message(snapshot);
    state.hold_until = ImGui::GetTime() + kHold;
}

// --- Below the text

// Draws the part of the line around the mistake that fits, with a caret below.
void draw_place(const Mistake& mistake) {
    ImGui::PushFont(monospace_font());
    const std::string number = fmt::format("{}: ", mistake.number);
    const std::size_t room = std::size_t(std::max(8.0f, ImGui::GetContentRegionAvail().x / text_width("0")));
    const std::size_t width = room > number.size() ? room - number.size() : 1;
    const std::size_t column = mistake.column - 1;
    const std::size_t begin = column + 4 < width ? 0 : column + 4 - width;
    const std::string part = begin < mistake.line.size() ? mistake.line.substr(begin, width) : "";
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    colored_text(number + part, text_color());
    colored_text(std::string(number.size() + column - begin, ' ') + "^", error_color());
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

// Returns the line below the text, and its colour.
std::pair<std::string, ImVec4> note(const EquationState& state, const Snapshot& snapshot) {
    if (const Message* why = refusal(state, snapshot)) return {"Rejected: " + why->text, error_color()};
    if (!snapshot.notes.empty())
        return {fmt::format("Note: {}.", fmt::join(snapshot.notes, "; ")), faint_color()};
    return {
        "Applied as you type, when it is valid. Components that keep their names keep their values; "
        "Reset starts from u(0) = ...",
        faint_color()};
}

void draw_below(const EquationState& state, const Snapshot& snapshot) {
    // Reserve a fixed height to avoid jumps; a long error takes what it needs.
    const float width = ImGui::GetContentRegionAvail().x;
    const float said = state.mistake
                           ? ImGui::CalcTextSize(state.mistake->sentence.c_str(), nullptr, false, width).y +
                                 2 * monospace_font()->FontSize + ImGui::GetStyle().ItemSpacing.y
                           : 0;
    const float height = std::max(kLinesBelow * ImGui::GetTextLineHeight(), said);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ImVec4(0, 0, 0, 0));
    ImGui::BeginChild("below", ImVec2(0, height), false, ImGuiWindowFlags_NoScrollbar);
    if (state.mistake) {
        paragraph(state.mistake->sentence, error_color());
        draw_place(*state.mistake);
    } else {
        const auto [text, color] = note(state, snapshot);
        paragraph(text, color);
    }
    ImGui::EndChild();
    ImGui::PopStyleColor();
}

// --- Typeset equations

void draw_box(const editing::MathBox& box, ImVec2 at, ImU32 color) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImFont* font = ImGui::GetFont();
    const float thick = std::max(1.0f, em(0.065f));
    for (const auto& g : box.glyphs) {
        const float base = font->Ascent * g.size / font->FontSize;
        list->AddText(font, g.size, ImVec2(at.x + g.x, at.y + g.y - base), color, g.text.c_str());
    }
    for (const auto& l : box.lines)
        list->AddLine(ImVec2(at.x + l.x0, at.y + l.y0), ImVec2(at.x + l.x1, at.y + l.y1), color, thick);
    for (const auto& b : box.brackets) {
        const float inner = at.x + b.x + (b.opens ? b.width : -b.width);
        const float control = at.x + b.x + (b.opens ? -b.width : b.width);
        list->AddBezierQuadratic(ImVec2(inner, at.y + b.top),
                                 ImVec2(control, at.y + (b.top + b.bottom) / 2),
                                 ImVec2(inner, at.y + b.bottom),
                                 color,
                                 thick);
    }
}

const std::vector<editing::TypesetLine>& typeset_lines(EquationState& state, float width) {
    TextCache& cache = cache_of(state);
    const float size = std::round(em(1.2f));
    const auto measure = [](std::string_view text, float high) {
        return ImGui::GetFont()->CalcTextSizeA(high, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
    };
    return cache.lines.of({width, size},
                          [&] { return editing::typeset(cache.statements, width, size, measure); });
}

float line_gap() {
    return em(0.45f);
}

float typeset_height(EquationState& state, float width) {
    float height = line_gap();
    for (const auto& line : typeset_lines(state, width))
        height += line.box.ascent + line.box.descent + line_gap();
    return height;
}

void draw_typeset(EquationState& state, ImVec2 size) {
    ImGui::BeginChild("##typeset", size, false, ImGuiWindowFlags_HorizontalScrollbar);
    const float width = ImGui::GetContentRegionAvail().x - em(0.5f);
    ImVec2 at = ImGui::GetCursorScreenPos();
    float widest = 0;
    const float top = at.y;
    at.y += line_gap() / 2;
    for (const auto& [box, mistake] : typeset_lines(state, width)) {
        at.y += box.ascent;
        draw_box(box, at, ImGui::GetColorU32(mistake ? error_color() : text_color()));
        at.y += box.descent + line_gap();
        widest = std::max(widest, box.width);
    }
    ImGui::Dummy(ImVec2(widest, at.y - top));
    ImGui::EndChild();
}

void draw_card(const UiState& ui, ImVec2 size) {
    ImGui::BeginChild("##card", size, false);
    for (const editing::CardPart& part : editing::reference_card()) {
        subtitle(part.title, "An example, and what it means");
        if (!ImGui::BeginTable(part.title, 2, ImGuiTableFlags_RowBg)) continue;
        for (const editing::CardEntry& entry : part.entries) {
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::PushFont(monospace_font());
            paragraph(
                entry.example,
                ImGui::ColorConvertU32ToFloat4(ink_color(editing::Ink::function, ui.preferences.theme)));
            ImGui::PopFont();
            ImGui::TableNextColumn();
            paragraph(entry.help, text_color());
        }
        ImGui::EndTable();
    }
    ImGui::EndChild();
}

// --- The editor

void draw_text(UiState& ui, const Snapshot& snapshot, const TextBoxLook& look) {
    const bool entered = draw_text_box(ui, look);
    mark(ui, TourSpot::equation);
    ui.panel.equation.editing |= ui.panel.equation.active;
    if (entered) apply(ui, snapshot);
}

// Returns the height for as many rows as the text had when last drawn.
float box_height(EquationState& state) {
    const TextCache& cache = cache_of(state);
    const std::size_t rows =
        !cache.rows.key ? std::size_t(std::ranges::count(cache.text, '\n')) : cache.rows.value.size();
    return float(std::clamp(int(rows) + 1, kFewestLines, kMostLines)) * monospace_font()->FontSize +
           2 * ImGui::GetStyle().FramePadding.y;
}

}  // namespace

std::optional<Mistake> find_mistake(const std::string& text) {
    try {
        equation::read_equations(text);
        return std::nullopt;
    } catch (const equation::TextError& error) {
        std::size_t begin = 0;
        for (std::size_t line = 1; line < error.line(); ++line) begin = text.find('\n', begin) + 1;
        const std::string line = text.substr(begin, text.find('\n', begin) - begin);
        return Mistake{
            error.sentence(), line, error.line(), error.column(), error.span().begin, error.span().end};
    }
}

std::string unapplied_text(const EquationState& state) {
    return !state.draft.empty() || state.edit.text() == state.seen ? state.draft : state.edit.text();
}

void draw_editor(UiState& ui, const Snapshot& snapshot) {
    EquationState& state = ui.panel.equation;
    if (state.large) {
        if (button("Back into the panel", button_size(1), "The large editor is closed\nKey: F2"))
            toggle_large_editor(ui, snapshot);
        return;
    }
    follow(state, snapshot);
    draw_text(ui, snapshot, {ImVec2(ImGui::GetContentRegionAvail().x, box_height(state))});
    const ImVec2 half = button_size(2);
    if (button("Enlarge",
               half,
               "Larger, beside the field, with the equations as mathematics. Key: F2\n--editor"))
        toggle_large_editor(ui, snapshot);
    same_line();
    if (button("Reference card",
               half,
               "An example of everything that an equation can have. Key: F1 in the text"))
        toggle_reference_card(ui, snapshot);
    draw_below(state, snapshot);
}

void draw_large_editor(UiState& ui, const Snapshot& snapshot) {
    EquationState& state = ui.panel.equation;
    follow(state, snapshot);
    const ImVec2 half = button_size(2);
    if (button(state.card ? "Equations" : "Reference card",
               half,
               "The equations as mathematics, or an example of everything. Key: F1"))
        toggle_reference_card(ui, snapshot);
    same_line();
    if (button("Close", half, "Back into the panel. Key: F2")) toggle_large_editor(ui, snapshot);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const auto [said, color] = note(state, snapshot);
    const float below =
        ImGui::CalcTextSize(said.c_str(), nullptr, false, room.x).y + ImGui::GetStyle().ItemSpacing.y;
    const float spacing = ImGui::GetStyle().ItemSpacing.y;
    ImVec2 above(room.x, 0), text(room.x, room.y - below);
    const bool beside = room.x > em(60);
    if (beside) {
        text.x = std::floor(0.55f * room.x);
        above = ImVec2(room.x - text.x - ImGui::GetStyle().ItemSpacing.x, text.y);
    } else {
        above.y = std::floor(state.card ? room.y / 2
                                        : std::min(typeset_height(state, room.x - em(0.5f)), 0.4f * room.y));
        text.y = std::max(room.y - below - above.y - spacing, em(4));
    }
    const auto draw_above = [&] { state.card ? draw_card(ui, above) : draw_typeset(state, above); };
    if (!beside) draw_above();
    draw_text(ui, snapshot, {text, true});
    if (beside) {
        ImGui::SameLine();
        draw_above();
    }
    paragraph(said, color);
}

void follow_equation(UiState& ui, const Snapshot& snapshot) {
    const EquationState& state = ui.panel.equation;
    if (state.typed_at >= 0 && ImGui::GetTime() >= state.typed_at + kQuiet) apply(ui, snapshot);
}

void toggle_large_editor(UiState& ui, const Snapshot&) {
    EquationState& state = ui.panel.equation;
    state.large = !state.large;
    state.takes_focus = state.shows_caret = state.large;
    if (state.large)
        show_panels(ui);
    else
        ui.ask(RevealSection{"Equation"});
}

void toggle_reference_card(UiState& ui, const Snapshot& snapshot) {
    EquationState& state = ui.panel.equation;
    state.card = !state.large || !state.card;
    if (!state.large) toggle_large_editor(ui, snapshot);
}

}  // namespace stencil
