// The logic of the equation's editor, without a window.
#include <fmt/format.h>

#include "sim/editing/completion.h"
#include "sim/editing/highlight.h"
#include "sim/editing/reference_card.h"
#include "sim/editing/text_edit.h"
#include "sim/editing/typeset.h"
#include "sim/editing/wrap.h"
#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/model/semantics.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"
#include "tests/support/catch.h"

using namespace stencil::editing;

namespace {

constexpr std::string_view kText =
    "du/dt = D*lap(u) + v  # a remark\n"
    "dv/dt = k1*lap(v) + x\n"
    "D = 0.1 in [0, 0.2]; k1 = 1e-3\n"
    "stepper = rk4; left: u = 1; title = \"Two # one\"";

OwnNames names_in(std::string_view text) {
    return own_names(equation::readable_statements(text));
}

// The ink of each piece, as "text:ink" for the wished ones.
Ink ink_at(std::string_view text, std::string_view word) {
    const std::size_t at = text.find(word);
    for (const Piece& piece : highlighted(text, names_in(text)))
        if (piece.span.begin <= at && at < piece.span.end) return piece.ink;
    return Ink::plain;
}

std::vector<std::string> listed(std::string_view text, bool any = false) {
    std::vector<std::string> list;
    for (const Candidate& c : completion(text, text.size(), names_in(text), any).candidates)
        list.push_back(c.text);
    return list;
}

float unit_advance(std::string_view) {
    return 1;
}

float half_em(std::string_view text, float size) {
    return float(std::ranges::count_if(text, begins_character)) * size / 2;
}

std::string glyphs_of(const MathBox& box) {
    std::string text;
    for (const auto& g : box.glyphs) text += g.text;
    return text;
}

std::string set_text(const std::string& formula) {
    const equation::Statements read = equation::read_statements("q = " + formula);
    return glyphs_of(typeset(read.definitions.at(0).formula, 10, half_em));
}

void require_inside(const MathBox& box) {
    constexpr float kRounding = 0.01f;
    for (const auto& g : box.glyphs) {
        REQUIRE(g.x >= -kRounding);
        REQUIRE(g.x + half_em(g.text, g.size) <= box.width + kRounding);
        REQUIRE(g.y <= box.descent + kRounding);
        REQUIRE(g.y >= -box.ascent - kRounding);
    }
    for (const auto& l : box.lines) REQUIRE(std::max(l.x0, l.x1) <= box.width + kRounding);
    for (const auto& b : box.brackets) REQUIRE(b.x <= box.width + kRounding);
}

}  // namespace

TEST_CASE("Undo takes back every edit of a text, one by one, and redo makes it again") {
    Dice dice;
    for (int round = 0; round < 20; ++round) {
        TextEdit edit;
        const std::string begun = "du/dt = ∇²u\n";
        edit.begin(begun);
        for (int i = 0; i < 200; ++i) {
            const auto place = std::size_t(dice.integer(0, int(edit.text().size())));
            switch (dice.integer(0, 6)) {
                case 0:
                    edit.place(place, dice.integer(0, 1) == 1);
                    break;
                case 1:
                    edit.erase(dice.integer(0, 1) == 1, dice.integer(0, 1) == 1);
                    break;
                case 2:
                    edit.replace({edit.caret(), edit.text().size()}, "αβ");
                    break;
                case 3:
                    edit.take(fmt::format("{}D = {}\n", edit.text(), i));
                    break;
                case 4:
                    edit.select_word(place);
                    break;
                default:
                    edit.insert(dice.integer(0, 3) == 0 ? "∇" : "u + ");
            }
            REQUIRE(is_utf8(edit.text()));
            REQUIRE(edit.caret() <= edit.text().size());
        }
        const std::string end = edit.text();
        while (edit.undo()) REQUIRE(is_utf8(edit.text()));
        CHECK(edit.text() == begun);
        while (edit.redo()) continue;
        CHECK(edit.text() == end);
    }
}

TEST_CASE("Typing is one entry for undo until the caret moves, and a dragged slider's text is one") {
    TextEdit edit;
    edit.begin("D = 1\n");
    edit.place(6);
    for (const char* letter : {"k", " ", "=", " ", "2"}) edit.insert(letter);
    edit.take("D = 1.5\nk = 2");
    edit.take("D = 1.75\nk = 2");
    CHECK(edit.caret() == edit.text().size());  // it stays behind what was typed
    edit.undo();
    CHECK(edit.text() == "D = 1\nk = 2");
    edit.undo();
    CHECK(edit.text() == "D = 1\n");
    CHECK_FALSE(edit.undo());
}

TEST_CASE("What the run adds to a typed text is undone with it") {
    TextEdit edit;
    edit.begin("u\n");
    edit.insert("v");
    edit.take("vu\ndt = 1\n", true);
    edit.take("vu\ndt = 2\n");
    CHECK(edit.undo());
    CHECK(edit.text() == "vu\ndt = 1\n");
    CHECK(edit.undo());
    CHECK(edit.text() == "u\n");
    CHECK_FALSE(edit.undo());
}

TEST_CASE("What is pasted has no control characters and no more than a model's text may have") {
    TextEdit edit;
    edit.insert("a\r\n\x01\tb\xff");
    CHECK(edit.text() == "a\n\tb");
    edit.insert(std::string(equation::kMaxText, 'u'));
    CHECK(edit.text() == "a\n\tb");
}

TEST_CASE("A change of the run reaches a text that has a mistake elsewhere") {
    const std::string draft = "du/dt = lop(u)\nD = 1 in [0, 2]\nk = 3",
                      run = "du/dt = lap(u)\nD = 1 in [0, 2]";
    CHECK(merged(draft, run, "du/dt = lap(u)\nD = 1.5 in [0, 2]") ==
          "du/dt = lop(u)\nD = 1.5 in [0, 2]\nk = 3");
    CHECK(merged(draft, run, run + "\ndt = 1") == draft);
    CHECK(merged("\n", "a", "b") == "\n");
}

TEST_CASE("Rows are as wide as there is room, hold the whole text, and give each place back") {
    Dice dice;
    for (int round = 0; round < 200; ++round) {
        std::string text;
        for (int i = dice.integer(0, 200); i > 0; --i)
            text += std::vector<std::string>{
                "u", "∇", " ", " + ", "\n", "long_name", "*"}[std::size_t(dice.integer(0, 6))];
        const int width = dice.integer(1, 40);
        const auto rows = wrapped(text, float(width), unit_advance);
        CHECK(rows.front().begin == 0);
        CHECK(rows.back().end == text.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string_view row =
                std::string_view(text).substr(rows[i].begin, rows[i].end - rows[i].begin);
            const auto count =
                std::ranges::count_if(row.substr(0, row.find_last_not_of(' ') + 1), begins_character);
            CHECK(float(count) <= std::max(1.0f, float(width) - rows[i].indent));
            if (i > 0) CHECK((rows[i].begin == rows[i - 1].end || rows[i].begin == rows[i - 1].end + 1));
        }
        for (std::size_t at = 0; at <= text.size(); at = at == text.size() ? at + 1 : after(text, at)) {
            const std::size_t row = row_of(rows, at);
            CHECK(place_at(text, rows, row, x_of(text, rows[row], at, unit_advance), unit_advance) == at);
        }
    }
}

TEST_CASE("A row breaks after an operator, and what goes on is indented") {
    const auto rows = wrapped("du/dt = alpha*lap(u) + beta", 17, unit_advance);
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].begin == std::string_view("du/dt = alpha*").size());
    CHECK(rows[1].indent == 4);
}

TEST_CASE("Each name of a text has the colour of what it is") {
    CHECK(ink_at(kText, "du/dt") == Ink::component);
    CHECK(ink_at(kText, "u) + v") == Ink::component);
    CHECK(ink_at(kText, "D*lap") == Ink::parameter);
    CHECK(ink_at(kText, "lap") == Ink::function);
    CHECK(ink_at(kText, "k1*") == Ink::parameter);
    CHECK(ink_at(kText, "x\n") == Ink::known);
    CHECK(ink_at(kText, "# a remark") == Ink::comment);
    CHECK(ink_at(kText, "1e-3") == Ink::number);
    CHECK(ink_at(kText, "in [") == Ink::keyword);
    CHECK(ink_at(kText, "stepper") == Ink::keyword);
    CHECK(ink_at(kText, "left") == Ink::keyword);
    CHECK(ink_at(kText, "\"Two # one\"") == Ink::string);
    // Also beside a mistake, an unfinished line, and a character that is none of the language.
    const std::string_view wrong = "du/dt = D*(\nD = 0.1\nq = u*?2 + u";
    CHECK(ink_at(wrong, "du/dt") == Ink::component);
    CHECK(ink_at("du/dt = \nv = u*?2", "u*?") == Ink::component);
    CHECK(ink_at("v = 1; du/dt = v*", "v*") == Ink::parameter);
}

TEST_CASE("The pieces of every model are in order and within the text, whatever is typed into it") {
    Dice dice;
    for (const Preset& preset : presets()) {
        TextEdit edit;
        edit.begin(preset.text);
        for (int round = 0; round < 20; ++round) {
            std::size_t end = 0;
            for (const Piece& piece : highlighted(edit.text(), names_in(edit.text()))) {
                REQUIRE(piece.span.begin >= end);
                REQUIRE(piece.span.end > piece.span.begin);
                end = piece.span.end;
            }
            REQUIRE(end <= edit.text().size());
            edit.place(std::size_t(dice.integer(0, int(edit.text().size()))));
            edit.insert(std::vector<std::string>{
                "(", "\"", "?", "1e999", "#", "\n", "²", "u'"}[std::size_t(dice.integer(0, 7))]);
        }
    }
}

TEST_CASE("Completions are what can stand at the caret") {
    const std::string text(kText);
    CHECK(listed(text + "\nste") == std::vector<std::string>{"steps = "});
    CHECK(listed(text + "\ndu/dt = la") == std::vector<std::string>{"lap(", "lap2("});
    CHECK(listed(text + "\nq = k") == std::vector<std::string>{"k1", "known("});
    CHECK(listed(text + "\nq = lap2") == std::vector<std::string>{"lap2("});
    CHECK(listed(text + "\nq = k1").empty());  // complete
    CHECK(listed(text + "\nintegrator = h") == std::vector<std::string>{"heun"});
    CHECK(contains(listed(text + "\ncolormap = vir"), "viridis"));
    CHECK(listed(text + "\nshow = ", true) == std::vector<std::string>{"u", "v"});
    CHECK(listed(text + "\nright: fl") == std::vector<std::string>{"floor(", "flux("});
    CHECK(contains(listed(text + "\nright: ", true), "insulated"));
    CHECK(contains(listed(text + "\ndu/dt = D*lap(u) +\n  ", true), "sqrt("));
    CHECK(listed(text + "\nq = 12").empty());
    CHECK(listed(text + "\n# la").empty());
    CHECK(listed("title = \"la").empty());
    CHECK(listed(text + "\n").empty());
    CHECK(listed("q = LA") == std::vector<std::string>{"lap(", "lap2("});
}

TEST_CASE("Every example of the reference card is read") {
    const std::string frame = "du/dt = lap(u); dv/dt = lap(v); D = 1; a = 1; b = 1\n";
    for (const CardPart& part : reference_card()) {
        CHECK_FALSE(part.entries.empty());
        const std::string_view title = part.title;
        const bool formulas = title == "Formulas" || title == "Functions" || title == "Names";
        for (const CardEntry& entry : part.entries) {
            CAPTURE(entry.example);
            CHECK_FALSE(entry.help.empty());
            const bool offset = title == "Names" && equation::is_offset_name(entry.example);
            std::string text = offset     ? fmt::format("dw/dt = conv(u, {})\n{}", entry.example, frame)
                               : formulas ? fmt::format("dw/dt = {}\n{}", entry.example, frame)
                                          : entry.example + "\n";
            if (!formulas) {
                const bool evolves = entry.example.starts_with("du/") || entry.example.starts_with("u'");
                text += evolves ? "" : "du/dt = lap(u)\n";
                text += entry.example.starts_with("D =") ? "" : "D = 1\n";
                text += "a = 1\n";
                text += entry.example.starts_with("edge") ? "inside = x > 2\n" : "";
                text += title == "Sides" && !entry.example.starts_with("boundary") ? "boundary = zero\n" : "";
            }
            if (entry.example.find("table(") == std::string::npos)  // whose file is read with the text
                CHECK_NOTHROW(equation::read_equations(text));
        }
    }
}

TEST_CASE("Formulas are set as mathematics") {
    CHECK(set_text("lap(u)") == "∇²u");
    CHECK(set_text("lap(u*v)") == "∇²uv");
    CHECK(set_text("alpha*u_1^2/k2") == "αu12k2");
    CHECK(set_text("u*2*3") == "u·2·3");
    CHECK(set_text("dx(u)") == "∂u∂x");
    CHECK(set_text("dxx(u*v)") == "∂²∂x²uv");
    CHECK(set_text("sqrt(abs(u))") == "u");
    CHECK(set_text("u - mean(u)") == "u−u");  // with brackets that are drawn
    CHECK(set_text("1 - conv(u*v, exp(-r))") == "1−e−r∗uv");
    CHECK(set_text("integral(u*v)") == "∫uvdx dy");
    CHECK(set_text("exp(-u)") == "e−u");
    CHECK(set_text("u <= 1e-4 and not v") == "u≤10−4andnotv");
    CHECK(set_text("min(u, 2)") == "minu,2");
    CHECK(set_text("u[+1,-2]") == "u+1,-2");
    CHECK(set_text("div(D*grad(u))") == "∇·D∇u");
    const auto brackets = [](const std::string& formula) {
        const equation::Statements read = equation::read_statements("q = " + formula);
        return typeset(read.definitions.at(0).formula, 10, half_em).brackets.size() / 2;
    };
    CHECK(brackets("(u + v)/k") == 0);  // a fraction needs none
    CHECK(brackets("(u + v)*k") == 1);
    CHECK(brackets("(u/v)^2") == 1);
    CHECK(brackets("lap(u)*v") == 1);  // not the Laplacian of a product
    CHECK(brackets("u - (v - k)") == 1);
    CHECK(brackets("(u - v) - k") == 0);
}

TEST_CASE("The equations of every model fit a page, and statements with mistakes are set as typed") {
    for (const Preset& preset : presets()) {
        CAPTURE(preset.name);
        const equation::Statements read = equation::read_statements(preset.text);
        const auto lines = typeset(read, 600, 15, half_em);
        CHECK(lines.size() >= read.evolutions.size());
        for (const TypesetLine& line : lines) {
            require_inside(line.box);
            CHECK(line.box.width <= 600);
            CHECK_FALSE(line.mistake);
        }
    }
    std::string deep = "u";
    for (int i = 0; i < 100; ++i) deep = "sin(" + deep + ")/2";
    const auto lines =
        typeset(equation::readable_statements("q = " + deep + "\ndu/dt = lap(\n"), 300, 15, half_em);
    REQUIRE(lines.size() == 2);
    CHECK(glyphs_of(lines[0].box).find("sin(sin(sin(u)/2)/2)/2") != std::string::npos);
    CHECK(lines[1].mistake);
    CHECK(glyphs_of(lines[1].box).starts_with("du/dt = lap("));
}
