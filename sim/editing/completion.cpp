#include "sim/editing/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sim/editing/text_edit.h"
#include "sim/model/semantics.h"
#include "sim/model/step/stages.h"
#include "sim/model/text/tokens.h"
#include "sim/view/colormap.h"

namespace stencil::editing {
namespace {

using equation::Token;
using equation::TokenKind;

class Candidates {
  public:
    explicit Candidates(std::string_view word) : word_(word) {}

    void add(std::string_view name, std::string_view help, Ink ink, std::string_view end = "") {
        if (starts(name)) list_.push_back({fmt::format("{}{}", name, end), std::string(help), ink});
    }
    void add_own(const OwnNames& names) {
        for (const std::string& name : names.components) add(name, "component", Ink::component);
        for (const std::string& name : names.parameters) add(name, "parameter", Ink::parameter);
        for (const std::string& name : names.definitions) add(name, "definition", Ink::definition);
    }

    // Returns the candidates, those with the same upper and lower case first; none if the word is complete.
    std::vector<Candidate> take() {
        if (list_.size() == 1 && list_[0].text == word_) return {};
        std::stable_partition(
            list_.begin(), list_.end(), [&](const Candidate& c) { return c.text.starts_with(word_); });
        return std::move(list_);
    }

  private:
    bool starts(std::string_view name) const {
        const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
        return name.size() >= word_.size() &&
               std::ranges::equal(name.substr(0, word_.size()), word_, {}, lower, lower);
    }

    std::string_view word_;
    std::vector<Candidate> list_;
};

// Returns the tokens of the statement to which a name at the end of the text would belong.
std::vector<Token> begun_statement(std::string_view text) {
    std::vector<Token> tokens = equation::readable_tokens(fmt::format("{}_", text));
    tokens.resize(tokens.size() - 2);
    const auto stop = std::find_if(
        tokens.rbegin(), tokens.rend(), [](const Token& token) { return token.kind == TokenKind::stop; });
    tokens.erase(tokens.begin(), stop.base());
    return tokens;
}

void add_starts(Candidates& list, const OwnNames& names) {
    for (const std::string& name : names.components)
        list.add("d" + name + "/dt", "the rate of change", Ink::component, " = ");
    list.add_own(names);
    for (const equation::SettingRow& row : equation::setting_rows())
        list.add(row.name, row.allowed, Ink::keyword, " = ");
    for (const std::string& side : equation::side_words())
        list.add(side, "a condition at this side: `left: u = 1`", Ink::keyword, ": ");
    list.add(equation::kComplex, "declares a complex component: `complex psi`", Ink::keyword, " ");
    list.add("inside", "where the field is", Ink::keyword, " = ");
    list.add(equation::kEdge, "a condition at the edge of `inside`: `edge: u = 1`", Ink::keyword, ": ");
}

void add_boundaries(Candidates& list) {
    for (const auto* word : {"periodic", "insulated", "zero"}) list.add(word, "boundary", Ink::keyword);
}

void add_words(Candidates& list, const equation::SettingRow& setting, const OwnNames& names) {
    if (setting.words)
        for (const auto& word : setting.words()) list.add(word.name, word.help, Ink::keyword);
    if (setting.name == "integrator")
        for (const auto& row : equation::integrators()) list.add(row.name, row.help, Ink::keyword);
    if (setting.name == "show") list.add_own({names.components, {}, names.definitions});
    if (setting.name == "sensitivity") list.add_own({{}, names.parameters, {}});
}

void add_formula(Candidates& list, const OwnNames& names) {
    list.add_own(names);
    for (const equation::Function& row : equation::functions())
        list.add(row.name, row.help, Ink::function, row.most == 0 ? "" : "(");
    for (const equation::KnownName& row : equation::known_names()) list.add(row.name, row.help, Ink::known);
}

bool in_text(std::string_view text, std::size_t at, const OwnNames& names) {
    return std::ranges::any_of(highlighted(text, names), [&](const Piece& piece) {
        return (piece.ink == Ink::comment || piece.ink == Ink::string) && piece.span.begin < at &&
               at <= piece.span.end;
    });
}

}  // namespace

Completion completion(std::string_view text, std::size_t caret, const OwnNames& names, bool any) {
    std::size_t begin = caret;
    while (begin > 0 && in_word(text[begin - 1])) --begin;
    const std::string_view word = text.substr(begin, caret - begin);
    Completion found{{begin, caret}, {}};
    if ((word.empty() && !any) || (!word.empty() && equation::is_digit(word[0])) ||
        in_text(text, caret, names))
        return found;
    const std::vector<Token> before = begun_statement(text.substr(0, begin));
    const auto is = [&](std::size_t at, std::string_view symbol) {
        return at < before.size() && before[at].kind == TokenKind::symbol && before[at].text == symbol;
    };
    const auto setting = before.empty() ? equation::setting_rows().end()
                                        : std::ranges::find(equation::setting_rows(),
                                                            equation::setting_name(before[0].text),
                                                            &equation::SettingRow::name);
    const bool sets = is(1, "=") && setting != equation::setting_rows().end();
    Candidates list(word);
    using Form = equation::SettingForm;
    const bool of_words =
        sets && (setting->form == Form::word || setting->form == Form::size || setting->form == Form::string);
    if (before.empty()) {
        add_starts(list, names);
    } else if (of_words) {
        if (before.size() == 2) add_words(list, *setting, names);
    } else {
        const bool at_side =
            std::ranges::any_of(before, [](const Token& token) { return token.text == ":"; });
        if (at_side && before.back().text == ":") add_boundaries(list);
        add_formula(list, names);
        if (at_side) list.add("flux", "the derivative outwards across the side", Ink::function, "(");
    }
    found.candidates = list.take();
    return found;
}

}  // namespace stencil::editing
