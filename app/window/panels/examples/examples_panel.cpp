#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <utility>

#include "app/window/panels/examples/example_panel.h"
#include "app/window/panels/panels.h"
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
    if (found == all.end() || found->second == option.standard) return;
    for (const std::string& text :
         option.repeatable ? split(found->second, ',') : std::vector{found->second}) {
        if (text.empty()) continue;
        try {
            draft.request.options.set(option.name, plain(text, option.kind));
        } catch (const InputError& error) {
            draft.errors[std::string(option.name)] = error.sentence();
        }
    }
}

void show(OptionTexts& texts, std::span<const ExampleOption> options, const OptionValues& values) {
    for (const ExampleOption& option : options)
        texts[std::string(option.name)] = fmt::format("{}", fmt::join(values.all(option.name), ","));
}

// Makes a label of a name: "seed" becomes Seed; a single letter, as in formulas, stays lower case.
std::string label_of(std::string name) {
    if (name.size() > 1) name[0] = char(std::toupper(static_cast<unsigned char>(name[0])));
    std::ranges::replace(name, '-', ' ');
    return name;
}

// A label longer than its column gets a line of its own.
void option_row(const std::string& option, std::string_view tip) {
    const std::string name = label_of(option);
    if (text_width(name) <= em(7)) return row(name.c_str(), tip);
    ImGui::TextUnformatted(name.c_str());
    tooltip(tip);
    row("", tip);
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

// Draws a combo box in which names are ticked.
void draw_names(const ExampleOption& option, std::string& text, std::string_view tip) {
    combo("##names", text.c_str(), tip, [&] {
        std::vector<std::string> names = names_in(text, option.choices);
        for (const std::string_view name : option.choices) {
            bool ticked = std::ranges::find(names, name) != names.end();
            if (!checkbox(std::string(name).c_str(), &ticked, "")) continue;
            if (ticked)
                names.emplace_back(name);
            else
                std::erase(names, name);
            text = fmt::format("{}", fmt::join(names, ","));
        }
    });
}

void draw_option(const ExampleOption& option, std::string& text, std::string_view wrong) {
    const std::string name(option.name), tip = tip_of(option);
    option_row(name, tip);
    if (option.kind == Kind::names) return draw_names(option, text, tip);
    if (!option.choices.empty()) return draw_combo(option, text, tip);
    std::string hint(option.unset.empty() ? option.value : option.unset);
    if (option.repeatable) hint += ",...";
    text_input("##text", hint.c_str(), text, tip, wrong);
}

void draw_options(std::span<const ExampleOption> options, OptionTexts& texts, const ExampleDraft& draft) {
    for (const ExampleOption& option : options) {
        const IdScope scope(option.name);
        std::string& text = texts.emplace(option.name, option.standard).first->second;
        const auto wrong = draft.errors.find(option.name);
        draw_option(option, text, wrong == draft.errors.end() ? "" : std::string_view(wrong->second));
    }
}

const Example& chosen(const ExamplesState& state, std::span<const Example> table) {
    const auto found = std::ranges::find(table, state.name, &Example::name);
    return found == table.end() ? table.front() : *found;
}

void draw_choice(ExamplesState& state, const Example& example, std::span<const Example> table) {
    const std::string name(example.name);
    combo_row("Example", name.c_str(), fmt::format("{}\nstencilscope example {}", example.about, name), [&] {
        for (const Example& one : table)
            if (choice(std::string(one.name).c_str(), &one == &example, one.summary)) state.name = one.name;
    });
    paragraph(example.summary, text_color());
}

// Checks that open files are too slow for a frame; they are made by the run, in its thread.
bool can_be_checked(const ExampleDraft& draft) {
    return draft.errors.empty() &&
           std::ranges::none_of(draft.request.options.options(), [&](const ExampleOption& option) {
               return option.kind == ExampleOption::Kind::file && draft.request.options.given(option.name);
           });
}

// Returns the example's objection to a combination of valid values; repeated only after a change.
const std::string& refusal_of(ExamplesState& state, const ExampleDraft& draft) {
    const std::string command = can_be_checked(draft) ? command_text(draft.request) : "";
    if (state.checked == command) return state.refusal;
    state.checked = command;
    state.refusal.clear();
    if (command.empty()) return state.refusal;
    try {
        draft.request.example->check(draft.request);
    } catch (const std::exception& error) {
        state.refusal = error.what();
    }
    return state.refusal;
}

// Returns the device of the simulation, which an example beside it may share.
std::string_view shared_device(const Snapshot& snapshot) {
    return snapshot.now.backend == "cuda" ? "GPU" : "CPU";
}

bool any_error(const ExampleDraft& draft, std::span<const ExampleOption> options) {
    return std::ranges::any_of(
        options, [&](const ExampleOption& option) { return draft.errors.contains(option.name); });
}

// Draws the options that all examples have; collapsed unless one is wrong.
void draw_measuring(UiState& ui, const Snapshot& snapshot, const ExampleDraft& draft) {
    ExamplesState& state = ui.panel.examples;
    if (any_error(draft, common_options())) ImGui::SetNextItemOpen(true);
    if (!unfolded("How it is measured", "Backend, precision, repeats, threads, memory, and where files go"))
        return;
    draw_options(common_options(), state.common, draft);
    checkbox_row(
        "pause the simulation",
        &state.alone,
        fmt::format("Pauses the simulation until the example has ended. Otherwise both share the {}, "
                    "and times are longer.",
                    shared_device(snapshot)));
    constexpr std::string_view kTip = "Folder of the report and of the example's own files\n--out DIR";
    folder_row(ui, state.folder, kTip);
    checkbox_row("write files at its end", &state.writes, kTip);
}

// Always takes one line, so that nothing below moves while typing; the tooltip has the whole text.
void draw_refusal(const ExampleDraft& draft, const std::string& refusal) {
    const std::string& wrong = draft.errors.empty() ? refusal : draft.errors.begin()->second;
    const std::string first = wrong.substr(0, wrong.find('\n'));
    const std::string shown = fitted(first, ImGui::GetContentRegionAvail().x);
    colored_text(shown, error_color());
    if (shown != wrong && ImGui::IsItemHovered()) say_error(wrong);
}

void draw_buttons(UiState& ui, const Snapshot& snapshot, const ExampleDraft& draft) {
    ExamplesState& state = ui.panel.examples;
    const std::string& refusal = refusal_of(state, draft);
    const bool busy = ui.example.running || state.waiting;
    draw_refusal(draft, refusal);
    const std::string_view why = busy                                   ? "An example is running"
                                 : !draft.errors.empty()                ? "An option is invalid; see below"
                                 : !refusal.empty()                     ? std::string_view(refusal)
                                 : state.writes && state.folder.empty() ? "Enter a folder"
                                                                        : "";
    if (button(ICON_PLAY " Run", button_size(3), "Runs the example while the simulation continues", why)) {
        state.waiting = draft.request;
        if (state.alone && snapshot.running) {
            state.resumes = true;
            ui.act(action::Run{false});
        }
    }
    same_line();
    if (button(ICON_CLOSE " Cancel",
               button_size(2),
               "Stops it within about a second; its results so far are kept",
               busy ? "" : "Nothing runs")) {
        if (state.waiting && state.resumes) ui.act(action::Run{true});
        if (state.waiting) state.resumes = false;
        state.waiting.reset();
        ui.ask(CancelExample{});
    }
    same_line();
    const std::string command = command_text(draft.request);
    copy_button(ui,
                "example",
                button_size(1),
                command,
                "Into the clipboard: " + command,
                draft.errors.empty() ? "" : "An option is invalid; see below");
}

std::string remark_on(const Snapshot& snapshot) {
    return fmt::format(
        "The simulation ran beside this example, on the {}: alone, its times may be shorter, and the "
        "machine's limits higher.",
        shared_device(snapshot));
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

void draw_example_panel(UiState& ui, const Snapshot& snapshot, std::span<const Example> table) {
    if (table.empty()) return;
    ExamplesState& state = ui.panel.examples;
    const Example& example = chosen(state, table);
    const IdScope scope("examples");
    const ExampleDraft draft = draft_of(example, state);
    draw_choice(state, example, table);
    draw_buttons(ui, snapshot, draft);
    draw_example_progress(ui);
    draw_example_results(ui);
    ImGui::PushID(example.name.data(), example.name.data() + example.name.size());
    if (unfolded("What it compares", "")) paragraph(example.about, faint_color());
    // Results are read, options are set: each opens where the other is not there.
    const bool results = ui.example.report != nullptr;
    ImGui::SetNextItemOpen(
        !results, results == std::exchange(state.had_results, results) ? ImGuiCond_Once : ImGuiCond_Always);
    const bool open = unfolded("Options", "What it works on, and how");
    if (open || any_error(draft, example.options))
        draw_options(example.options, state.texts[std::string(example.name)], draft);
    ImGui::PopID();
    draw_measuring(ui, snapshot, draft);
}

void draw_examples(UiState& ui, const Snapshot& snapshot) {
    draw_example_panel(ui, snapshot, examples());
}

void follow_example(UiState& ui, const Snapshot& snapshot) {
    ExamplesState& state = ui.panel.examples;
    const bool disturbed = !state.held && (snapshot.running || !snapshot.busy.empty());
    if (state.waiting) {
        if (state.resumes && snapshot.running) return;
        ui.ask(
            StartExample{*std::exchange(state.waiting, {}), disturbed ? remark_on(snapshot) : std::string()});
        state.remarked = disturbed;
        // Free the results, because the next run may need their memory.
        ui.example.report.reset();
        return;
    }
    if (ui.example.running && disturbed && !state.remarked) {
        state.remarked = true;
        ui.ask(RemarkExample{remark_on(snapshot)});
    }
    if (state.resumes && !ui.example.running) {
        state.resumes = false;
        ui.act(action::Run{true});
    }
}

bool serve_examples(UiState& ui, ExampleRunner& runner, const std::shared_ptr<const Machine>& machine) {
    return std::erase_if(ui.requests, [&](UiRequest& request) {
               if (auto* start = std::get_if<StartExample>(&request))
                   runner.start(std::move(start->request), machine, std::move(start->remark));
               else if (std::holds_alternative<CancelExample>(request))
                   runner.cancel();
               else if (auto* remark = std::get_if<RemarkExample>(&request))
                   runner.remark(std::move(remark->note));
               else if (const auto* save = std::get_if<SaveReport>(&request))
                   runner.save(save->folder);
               else
                   return false;
               return true;
           }) > 0;
}

}  // namespace stencil
