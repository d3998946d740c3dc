#include "app/window/panels/examples/example_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/model/text/typed_number.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using Kind = ExampleOption::Kind;

// Expands typed numbers such as 10k or 2^20, which commands do not accept.
std::string plain(const std::string& text, Kind kind) {
    const auto whole =
        kind == Kind::integer || kind == Kind::bytes ? equation::typed_whole(text) : std::nullopt;
    const auto real = kind == Kind::real && !read_real(text) ? equation::typed_number(text) : std::nullopt;
    return whole ? std::to_string(*whole) : real ? format_real(*real) : text;
}

void take(ExampleDraft& draft, const ExampleOption& option, const OptionTexts& all) {
    const auto found = all.find(option.name);
    if (found == all.end() || found->second == std::vector{std::string(option.standard)}) return;
    for (const std::string& text : found->second) {
        if (text.empty()) continue;
        try {
            draft.request.options.set(option.name, plain(text, option.kind));
        } catch (const InputError& error) {
            draft.errors[std::string(option.name)] = error.what();
        }
    }
}

void show(OptionTexts& texts, std::span<const ExampleOption> options, const OptionValues& values) {
    for (const ExampleOption& option : options) {
        std::vector<std::string> own = values.all(option.name);
        if (own.empty()) own.emplace_back();
        texts[std::string(option.name)] = std::move(own);
    }
}

// Makes a label of a name: "seed" becomes Seed; a single letter, as in formulas, stays lower case.
std::string label_of(std::string name) {
    if (name.size() > 1) name[0] = char(std::toupper(static_cast<unsigned char>(name[0])));
    std::ranges::replace(name, '-', ' ');
    return name;
}

// A label longer than its column gets a line of its own.
void option_row(std::string name, std::string_view tip, float keep) {
    name = label_of(std::move(name));
    if (text_width(name) <= em(7)) return row(name.c_str(), tip, keep);
    ImGui::TextUnformatted(name.c_str());
    tooltip(tip);
    row("", tip, keep);
}

std::string tip_of(const ExampleOption& option) {
    std::string text(option.help);
    if (option.kind == Kind::integer || option.kind == Kind::real)
        text += fmt::format(", from {} to {}", format_real(option.least), format_real(option.most));
    if (!option.standard.empty()) text += fmt::format(" (default {})", option.standard);
    return text + fmt::format("\n--{}{}{}", option.name, option.value.empty() ? "" : " ", option.value);
}

// Draws a combo box of the choices, with an empty one if the option has no default.
void draw_combo(const ExampleOption& option, std::string& text, std::string_view tip) {
    const std::string none(option.unset);
    combo("##choice", text.empty() ? none.c_str() : text.c_str(), tip, [&] {
        if (!none.empty() && choice(none.c_str(), text.empty(), tip)) text.clear();
        for (const std::string_view name : option.choices)
            if (choice(std::string(name).c_str(), text == name, tip)) text = name;
    });
}

void draw_lines(const ExampleOption& option,
                std::vector<std::string>& texts,
                std::string_view tip,
                std::string_view wrong) {
    const float close = ImGui::GetFrameHeight();
    std::size_t gone = texts.size();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const IdScope scope{int(i)};
        const bool last = i + 1 == texts.size();
        option_row(i == 0 ? std::string(option.name) : "", tip, close);
        text_input("##line", std::string(option.value).c_str(), texts[i], tip, wrong);
        same_line();
        const ImVec2 size(close, 0);
        if (last && button("+", size, "One more", texts[i].empty() ? "This line is still empty" : ""))
            gone = texts.size() + 1;
        if (!last && button(ICON_CLOSE, size, "Without this one")) gone = i;
    }
    if (gone < texts.size()) texts.erase(texts.begin() + std::ptrdiff_t(gone));
    if (gone > texts.size()) texts.emplace_back();
}

void draw_option(const ExampleOption& option, std::vector<std::string>& texts, std::string_view wrong) {
    const std::string name(option.name), tip = tip_of(option);
    if (option.repeatable) return draw_lines(option, texts, tip, wrong);
    std::string& text = texts.front();
    if (option.kind == Kind::flag) {
        bool on = text == "true";
        if (checkbox_row(label_of(name).c_str(), &on, tip)) text = on ? "true" : "";
        return;
    }
    option_row(name, tip, 0);
    if (!option.choices.empty()) return draw_combo(option, text, tip);
    const std::string hint(option.unset.empty() ? option.value : option.unset);
    text_input("##text", hint.c_str(), text, tip, wrong);
}

}  // namespace

ExampleDraft draft_of(const Example& example, const ExamplesState& state) {
    ExampleDraft draft{request_for(example), {}};
    if (const auto texts = state.texts.find(example.name); texts != state.texts.end())
        for (const ExampleOption& option : example.options) take(draft, option, texts->second);
    for (const ExampleOption& option : common_options()) take(draft, option, state.common);
    if (state.writes) draft.request.out = state.folder;
    return draft;
}

void show_request(ExamplesState& state, const ExampleRequest& request) {
    state.name = request.example->name;
    show(state.texts[state.name], request.example->options, request.options);
    show(state.common, common_options(), request.options);
    state.writes = !request.out.empty();
    if (state.writes) state.folder = request.out;
}

void draw_options(std::span<const ExampleOption> options, OptionTexts& texts, const ExampleDraft& draft) {
    for (const ExampleOption& option : options) {
        const IdScope scope(option.name);
        auto& own = texts[std::string(option.name)];
        if (own.empty()) own.emplace_back(option.standard);
        const auto wrong = draft.errors.find(option.name);
        draw_option(option, own, wrong == draft.errors.end() ? "" : std::string_view(wrong->second));
    }
}

}  // namespace stencil
