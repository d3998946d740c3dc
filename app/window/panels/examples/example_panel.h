// The examples' section, for any table of examples.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/window/ui_state.h"

namespace stencil {

void draw_example_panel(UiState& ui, const Snapshot& snapshot, std::span<const Example> table);

/// Call in every frame, even if the section is hidden: starts an example once the simulation has paused,
/// resumes the simulation afterwards, and notes in the report if the simulation ran beside it.
void follow_example(UiState& ui, const Snapshot& snapshot);

/// Passes what was asked of the examples to their thread. Returns whether there was anything.
bool serve_examples(UiState& ui, ExampleRunner& runner, const std::shared_ptr<const Machine>& machine);

// Results of an example, in the section and enlarged in a window.

/// Draws the progress of a running example, or why the last one failed.
void draw_example_progress(const UiState& ui);

/// Draws table, speed-ups, notes and plots below each other, with buttons to enlarge and save them.
void draw_example_results(UiState& ui);

/// Draws the results over the canvas while ExamplesState::large.
void draw_large_results(UiState& ui);

// Widgets for the options of an example.

/// The request that the widgets spell, with errors.
struct ExampleDraft {
    ExampleRequest request;                                  ///< omits options that cannot be parsed
    std::map<std::string, std::string, std::less<>> errors;  ///< option -> one line that says what is allowed
};

ExampleDraft draft_of(const Example& example, const ExamplesState& state);

/// Sets the widgets from a request, and chooses its example.
void show_request(ExamplesState& state, const ExampleRequest& request);

// The tables of a report: columns of text, and how they are drawn.

struct TableColumn {
    std::string title;
    std::string tip;
    bool right = false;  ///< right-aligned, for numbers
    std::vector<std::string> cells;
};

/// A line of a table of rows.
struct TableLine {
    enum class Kind { group, measured, absent } kind = Kind::measured;
    const ReportRow* row = nullptr;  ///< for a group, its first row
};

/// Groups the rows by work and precision, each group under a title line. Rows whose only message is
/// missing_gpu_text() are left out.
std::vector<TableLine> lines_of(const Report& report);

/// Makes columns for the lines, without those that would be empty; the first is the variant. Cells are empty
/// unless the row was measured.
std::vector<TableColumn> columns_of(const Report& report, const std::vector<TableLine>& lines);

}  // namespace stencil
