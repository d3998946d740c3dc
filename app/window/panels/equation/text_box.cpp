#include "app/window/panels/equation/text_box.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>

#include "app/window/canvas/canvas_painter.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"

namespace stencil {
namespace {

using editing::Ink;
using editing::TextRow;
using equation::TextSpan;

float advance(std::string_view character) {
    unsigned code = 0;
    ImTextCharFromUtf8(&code, character.data(), character.data() + character.size());
    const ImFont* font = ImGui::GetFont();
    return font->GetCharAdvance(ImWchar(code)) * ImGui::GetFontSize() / font->FontSize;
}

bool pressed(ImGuiKey key) {
    return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
}

bool enters() {
    return pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter);
}

// A message below the row of its mistake; it moves the rows below down.
struct Message {
    std::size_t row = 0;
    float height = 0;
};

class TextBox {
  public:
    TextBox(UiState& ui, const TextBoxLook& look, ImGuiID id)
        : ui_(ui),
          state_(ui.panel.equation),
          edit_(state_.edit),
          look_(look),
          id_(id),
          window_(*ImGui::GetCurrentWindow()),
          context_(*ImGui::GetCurrentContext()),
          corner_(ImGui::GetCursorScreenPos()),
          line_(ImGui::GetTextLineHeight()) {}

    // `focused`: the box was entered with the keyboard.
    bool draw(bool focused) {
        lay_out();
        take_focus(focused);
        const std::size_t caret = edit_.caret();
        const unsigned version = edit_.version();
        bool applies = false;
        if (state_.active) {
            take_mouse();
            applies = take_keys();
        }
        const bool changed = edit_.version() != version;
        if (changed) {
            state_.typed_at = ImGui::GetTime();
            lay_out();
        }
        if (changed || edit_.caret() != caret) state_.shows_caret = true;
        draw_rows();
        ImGui::Dummy(ImVec2(0, height()));
        if (std::exchange(state_.shows_caret, false)) scroll_to_caret();
        if (!state_.active || !shows_list()) return applies;
        const editing::Completion& list = cache().list.value;
        if (const auto clicked = draw_completions(ui_, list, at(list.word.begin), line_)) {
            complete(*clicked);
            state_.typed_at = ImGui::GetTime();
        }
        return applies;
    }

  private:
    // --- Layout

    TextCache& cache() { return cache_of(state_); }
    const std::vector<TextRow>& rows() {
        if (!cache().rows.key) lay_out();
        return cache().rows.value;
    }
    const std::string& text() const { return edit_.text(); }

    void lay_out() {
        TextCache& c = cache();
        const float width = ImGui::GetContentRegionAvail().x;
        const auto& rows = c.rows.of({width, ImGui::GetFontSize()}, [&] {
            return editing::wrapped(text(), std::max(width, line_), advance);
        });
        message_ = {};
        const auto& mistake = state_.mistake;
        if (!mistake || !look_.message || mistake->begin > text().size()) return;
        message_.row = editing::row_of(rows, mistake->begin);
        const ImFont* font = ImGui::GetIO().Fonts->Fonts[0];
        message_.height =
            font->CalcTextSizeA(font->FontSize, FLT_MAX, width - em(1), mistake->sentence.c_str()).y +
            em(0.6f);
    }

    // Positions are relative to the content's corner.
    float row_y(std::size_t row) {
        return float(row) * line_ + (message_.height > 0 && row > message_.row ? message_.height : 0);
    }
    float height() {
        return row_y(rows().size() - 1) + line_ + (message_.row + 1 == rows().size() ? message_.height : 0);
    }
    ImVec2 at(std::size_t place) {
        const std::size_t row = editing::row_of(rows(), place);
        return {corner_.x + editing::x_of(text(), rows()[row], place, advance), corner_.y + row_y(row)};
    }

    void scroll_to_caret() {
        const float y = row_y(editing::row_of(rows(), edit_.caret()));
        const float room = window_.InnerRect.GetHeight() - 2 * window_.WindowPadding.y;
        if (y < ImGui::GetScrollY() || edit_.caret() == 0) ImGui::SetScrollY(edit_.caret() == 0 ? 0 : y);
        if (y + line_ > ImGui::GetScrollY() + room) ImGui::SetScrollY(y + line_ - room);
    }

    // --- Focus

    bool hovered() const {
        const ImGuiHoveredFlags flags = state_.active ? ImGuiHoveredFlags_AllowWhenBlockedByActiveItem : 0;
        return ImGui::IsWindowHovered(flags) && window_.InnerRect.Contains(ImGui::GetIO().MousePos);
    }

    void take_focus(bool focused) {
        const ImGuiID scrollbar = ImGui::GetWindowScrollbarID(&window_, ImGuiAxis_Y);
        const bool scrolls = state_.active && context_.ActiveId == scrollbar;
        const bool scrolled = std::exchange(state_.scrolling, scrolls) && context_.ActiveId == 0;
        const bool over = hovered();
        if (over && (context_.ActiveId == 0 || context_.ActiveId == id_)) {
            ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
            ImGui::SetHoveredID(id_);
        }
        const bool clicked = over && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
        const bool enters = std::exchange(state_.takes_focus, false) || focused || clicked || scrolled;
        if (enters && context_.ActiveId != id_) {
            ImGuiWindow* parent = window_.ParentWindow;
            ImGui::SetActiveID(id_, parent);
            ImGui::SetFocusID(id_, parent);
            ImGui::FocusWindow(parent);
            // Characters before the key that entered the box were not meant for it; those after the key are
            // text.
            ImVector<ImWchar>& typed = ImGui::GetIO().InputQueueCharacters;
            const int others = std::exchange(state_.typed_before, 0);
            const int gone = focused ? typed.Size : std::min(others, typed.Size);
            if (gone > 0) typed.erase(typed.begin(), typed.begin() + gone);  // ImGui erases no empty range
            if (!scrolled) state_.goes_on = false;
            if (focused) entered_ = true;
        }
        const ImGuiWindow* list = ImGui::FindWindowByName("##completions");
        const bool elsewhere = !over && context_.HoveredWindow != list && context_.HoveredWindow != &window_;
        const bool leaves =
            elsewhere && (ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1) || ImGui::IsMouseClicked(2));
        if (context_.ActiveId == id_ && leaves) ImGui::ClearActiveID();
        state_.active = context_.ActiveId == id_ || scrolls;
        if (context_.ActiveId != id_) return;
#if IMGUI_VERSION_NUM < 18900
        ImGui::SetActiveIdUsingNavAndKeys();
#else
        ImGui::SetActiveIdUsingAllKeyboardKeys();
#endif
        context_.ActiveIdAllowOverlap = !ImGui::IsMouseDown(0);
        context_.WantTextInputNextFrame = 1;
    }

    // --- Mouse

    void take_mouse() {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        if (hovered() && ImGui::IsMouseClicked(0)) {
            state_.listed = false;
            edit_.place(place_under(mouse), ImGui::GetIO().KeyShift);
            state_.dragging = true;
            state_.wish_x.reset();
            if (ImGui::IsMouseDoubleClicked(0)) {
                edit_.select_word(edit_.caret());
                state_.dragging = false;
            }
        } else if (state_.dragging && ImGui::IsMouseDown(0)) {
            edit_.place(place_under(mouse), true);
        }
        if (!ImGui::IsMouseDown(0)) state_.dragging = false;
    }

    std::size_t place_under(ImVec2 mouse) {
        // A click below the last row puts the caret at the end of the text.
        if (mouse.y >= corner_.y + height()) return text().size();
        std::size_t row = 0;
        while (row + 1 < rows().size() && corner_.y + row_y(row + 1) <= mouse.y) ++row;
        return editing::place_at(text(), rows(), row, mouse.x - corner_.x, advance);
    }

    // --- Keys

    bool take_keys() {
        ImGuiIO& io = ImGui::GetIO();
        if (context_.ActiveId != id_ || std::exchange(entered_, false)) return false;
        const bool control = io.KeyCtrl && !io.KeyAlt;
        const unsigned version = edit_.version();
        if (!control) {
            for (const ImWchar typed : io.InputQueueCharacters) type(typed);
            io.InputQueueCharacters.resize(0);
        }
        if (control ? take_chord(io.KeyShift) : take_key(io.KeyShift)) return true;
        if (edit_.version() != version) state_.wish_x.reset();
        return false;
    }

    void type(ImWchar typed) {
        if (typed == '\t' || typed == '\r') return;
        char bytes[5];
        const std::string_view character = ImTextCharToUtf8(bytes, typed);
        edit_.insert(character);
        state_.listed = editing::in_word(character.front());
        state_.any = false;
        state_.chosen = 0;
        state_.chooses = false;
    }

    // Returns true where the text is to be applied at once.
    bool take_chord(bool shift) {
        const TextSpan selection = edit_.selection();
        const bool selects = selection.begin < selection.end;
        if (enters()) return true;
        if (pressed(ImGuiKey_A)) edit_.select({0, text().size()});
        if ((pressed(ImGuiKey_C) || pressed(ImGuiKey_X)) && selects)
            ImGui::SetClipboardText(edit_.selected().c_str());
        if (pressed(ImGuiKey_X) && selects) edit_.erase(true, false);
        if (pressed(ImGuiKey_V))
            if (const char* pasted = ImGui::GetClipboardText()) edit_.insert(pasted);
        if (pressed(ImGuiKey_Z)) shift ? edit_.redo() : edit_.undo();
        if (pressed(ImGuiKey_Y)) edit_.redo();
        if (pressed(ImGuiKey_Backspace)) edit_.erase(false, true);
        if (pressed(ImGuiKey_Delete)) edit_.erase(true, true);
        if (pressed(ImGuiKey_Space)) {
            state_.listed = state_.any = true;
            state_.chosen = 0;
        }
        if (pressed(ImGuiKey_LeftArrow)) move(editing::before(text(), edit_.caret(), true), shift);
        if (pressed(ImGuiKey_RightArrow)) move(editing::after(text(), edit_.caret(), true), shift);
        if (pressed(ImGuiKey_Home)) move(0, shift);
        if (pressed(ImGuiKey_End)) move(text().size(), shift);
        return false;
    }

    bool take_key(bool shift) {
        const bool lists = shows_list();
        if (lists && take_list_key()) return false;
        if (enters()) {
            edit_.insert("\n");
            state_.listed = false;
        }
        if (pressed(ImGuiKey_Tab)) edit_.insert("  ");
        if (pressed(ImGuiKey_Backspace)) edit_.erase(false, false);
        if (pressed(ImGuiKey_Delete)) edit_.erase(true, false);
        const TextSpan selection = edit_.selection();
        const bool collapses = !shift && selection.begin < selection.end;
        if (pressed(ImGuiKey_LeftArrow))
            move(collapses ? selection.begin : editing::before(text(), edit_.caret()), shift);
        if (pressed(ImGuiKey_RightArrow))
            move(collapses ? selection.end : editing::after(text(), edit_.caret()), shift);
        const auto page = std::ptrdiff_t(window_.InnerRect.GetHeight() / line_) - 1;
        if (pressed(ImGuiKey_UpArrow)) move_rows(-1, shift);
        if (pressed(ImGuiKey_DownArrow)) move_rows(1, shift);
        if (pressed(ImGuiKey_PageUp)) move_rows(-page, shift);
        if (pressed(ImGuiKey_PageDown)) move_rows(page, shift);
        const std::size_t row = editing::row_of(rows(), edit_.caret());
        if (pressed(ImGuiKey_Home)) move(rows()[row].begin, shift);
        if (pressed(ImGuiKey_End)) move(editing::place_at(text(), rows(), row, FLT_MAX, advance), shift);
        if (pressed(ImGuiKey_Escape)) {
            ImGui::ClearActiveID();
            state_.active = false;
        }
        return false;
    }

    void move(std::size_t place, bool extend) {
        edit_.place(place, extend);
        state_.listed = false;
        state_.wish_x.reset();
    }

    void move_rows(std::ptrdiff_t by, bool extend) {
        lay_out();
        const std::size_t row = editing::row_of(rows(), edit_.caret());
        const float x = state_.wish_x.value_or(editing::x_of(text(), rows()[row], edit_.caret(), advance));
        const std::ptrdiff_t to = std::ptrdiff_t(row) + by;
        if (to < 0)
            move(0, extend);
        else if (to >= std::ptrdiff_t(rows().size()))
            move(by == 1 ? text().size() : rows().back().end, extend);
        else
            move(editing::place_at(text(), rows(), std::size_t(to), x, advance), extend);
        state_.wish_x = x;
    }

    // --- Completion

    bool shows_list() {
        if (!state_.listed) return false;
        TextCache& c = cache();
        const std::size_t caret = edit_.caret();
        const auto make = [&] { return editing::completion(text(), caret, c.names, state_.any); };
        const auto& candidates = c.list.of({caret, state_.any}, make).candidates;
        if (candidates.empty()) state_.listed = false;
        state_.chosen = std::min(state_.chosen, std::max<std::size_t>(candidates.size(), 1) - 1);
        return state_.listed;
    }

    void complete(std::size_t row) {
        const editing::Completion list = cache().list.value;
        edit_.replace(list.word, list.candidates[row].text);
        state_.listed = false;
    }

    // Enter completes only after a choice, so that typing on is never disturbed.
    bool take_list_key() {
        const std::size_t count = cache().list.value.candidates.size();
        const bool up = pressed(ImGuiKey_UpArrow), down = pressed(ImGuiKey_DownArrow);
        if (up || down) {
            state_.chosen = (state_.chosen + (down ? 1 : count - 1)) % count;
            state_.chooses = true;
            return true;
        }
        const bool completes = pressed(ImGuiKey_Tab) || (enters() && state_.chooses);
        if (completes) complete(state_.chosen);
        if (!completes && !pressed(ImGuiKey_Escape)) return false;
        state_.listed = false;
        return true;
    }

    // --- Drawing

    // Fills the part of each row that a span covers.
    void fill(TextSpan span, ImU32 color, std::size_t row) {
        const TextRow& r = rows()[row];
        const std::size_t begin = std::max(span.begin, r.begin), end = std::min(span.end, r.end);
        if (begin > end || (begin == end && span.end <= r.end)) return;
        const float y = corner_.y + row_y(row), left = editing::x_of(text(), r, begin, advance);
        const float right = editing::x_of(text(), r, end, advance) + (span.end > r.end ? line_ / 3 : 0);
        window_.DrawList->AddRectFilled(
            ImVec2(corner_.x + left, y), ImVec2(corner_.x + right, y + line_), color);
    }

    void draw_rows() {
        const auto mistake = state_.mistake
                                 ? std::optional(TextSpan{state_.mistake->begin, state_.mistake->end})
                                 : std::nullopt;
        std::size_t piece = 0;
        for (std::size_t row = 0; row < rows().size(); ++row) {
            const float y = corner_.y + row_y(row);
            if (y + line_ + message_.height < window_.ClipRect.Min.y || y > window_.ClipRect.Max.y) continue;
            if (edit_.selection().begin < edit_.selection().end)
                fill(edit_.selection(), ImGui::GetColorU32(ImGuiCol_TextSelectedBg), row);
            draw_row(rows()[row], y, piece);
            if (mistake) draw_mistake(*mistake, row, y);
        }
        if (!state_.active) return;
        const ImVec2 caret = at(edit_.caret());
        window_.DrawList->AddRectFilled(caret,
                                        ImVec2(caret.x + std::max(1.0f, em(0.08f)), caret.y + line_),
                                        ImGui::GetColorU32(ImGuiCol_Text));
    }

    // Draws the pieces of a row in their colours, and the text between them; `piece` continues from row to
    // row.
    void draw_row(const TextRow& row, float y, std::size_t& piece) {
        const auto& pieces = cache().pieces;
        float x = corner_.x + row.indent;
        const auto put = [&](std::size_t begin, std::size_t end, Ink ink) {
            if (begin >= end) return;
            const char* const bytes = text().data();
            window_.DrawList->AddText(
                ImVec2(x, y), ink_color(ink, ui_.preferences.theme), bytes + begin, bytes + end);
            for (std::size_t i = begin; i < end; i = editing::after(text(), i))
                x += advance(std::string_view(text()).substr(i, editing::after(text(), i) - i));
        };
        while (piece < pieces.size() && pieces[piece].span.end <= row.begin) ++piece;
        std::size_t place = row.begin;
        for (std::size_t i = piece; i < pieces.size() && pieces[i].span.begin < row.end; ++i) {
            const std::size_t begin = std::max(pieces[i].span.begin, row.begin);
            const std::size_t end = std::min(pieces[i].span.end, row.end);
            put(place, begin, Ink::plain);
            put(begin, end, pieces[i].ink);
            place = std::max(place, end);
        }
        put(place, row.end, Ink::plain);
    }

    // Draws a wavy line below the span, and the message below its first row.
    void draw_mistake(TextSpan span, std::size_t row, float y) {
        const TextRow& r = rows()[row];
        const bool first = row == editing::row_of(rows(), std::min(span.begin, text().size()));
        if (!first && (span.end <= r.begin || span.begin >= r.end)) return;
        const float left = corner_.x + editing::x_of(text(), r, std::max(span.begin, r.begin), advance);
        const float right = std::max(
            left + line_ / 2, corner_.x + editing::x_of(text(), r, std::min(span.end, r.end), advance));
        const float step = std::max(2.0f, line_ / 7), base = y + line_ - step / 2;
        const ImU32 color = ImGui::GetColorU32(error_color());
        bool up = false;
        for (float x = left; x < right; x += step, up = !up)
            window_.DrawList->AddLine(ImVec2(x, base - (up ? step / 2 : 0)),
                                      ImVec2(std::min(x + step, right), base - (up ? 0 : step / 2)),
                                      color,
                                      std::max(1.0f, line_ / 14));
        if (first && message_.height > 0) draw_message(left, y + line_, color);
    }

    void draw_message(float caret, float y, ImU32 color) {
        const float x = corner_.x, width = ImGui::GetContentRegionAvail().x, tip = em(0.25f);
        window_.DrawList->AddRectFilled(ImVec2(x, y + tip),
                                        ImVec2(x + width, y + message_.height - tip / 2),
                                        faded(color, 0.12),
                                        ImGui::GetStyle().FrameRounding);
        window_.DrawList->AddTriangleFilled(
            ImVec2(caret, y + tip), ImVec2(caret + tip, y), ImVec2(caret + 2 * tip, y + tip), color);
        ImFont* font = ImGui::GetIO().Fonts->Fonts[0];
        window_.DrawList->AddText(font,
                                  font->FontSize,
                                  ImVec2(x + em(0.5f), y + em(0.3f)),
                                  color,
                                  state_.mistake->sentence.c_str(),
                                  nullptr,
                                  width - em(1));
    }

    UiState& ui_;
    EquationState& state_;
    editing::TextEdit& edit_;
    const TextBoxLook& look_;
    ImGuiID id_;
    ImGuiWindow& window_;
    ImGuiContext& context_;
    ImVec2 corner_;  // of the content, scrolled
    float line_;
    Message message_;
    bool entered_ = false;
};

}  // namespace

bool draw_text_box(UiState& ui, const TextBoxLook& look) {
    ImGuiContext& context = *ImGui::GetCurrentContext();
    ImGui::PushFont(monospace_font());
    // The item has the ID of the child window that contains the text, like ImGui's own multi-line fields.
    const ImGuiID id = ImGui::GetID("##text");
    const ImVec2 place = ImGui::GetCursorScreenPos();
    ImGui::ItemAdd({place, ImVec2(place.x + look.size.x, place.y + look.size.y)}, id);
    const bool focused = ImGui::IsItemFocused() && context.IO.NavVisible &&
                         (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_Space));
    if (context.NavActivateId == id) context.NavActivateId = 0;
    const ImGuiStyle& style = ImGui::GetStyle();
    ImGui::PushStyleColor(ImGuiCol_ChildBg, style.Colors[ImGuiCol_FrameBg]);
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, style.FrameRounding);
    ImGui::PushStyleVar(ImGuiStyleVar_ChildBorderSize, std::max(1.0f, style.FrameBorderSize));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, style.FramePadding);
    ImGui::BeginChild("##text", look.size, true, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNavInputs);
    const bool applies = TextBox(ui, look, id).draw(focused);
    ImGui::EndChild();
    ImGui::PopStyleVar(3);
    ImGui::PopStyleColor();
    ImGui::PopFont();
    return applies;
}

}  // namespace stencil
