// The ladder in the tab Performance: a card per rung with its picture, its code and what it changes.
#include <fmt/format.h>
#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/format.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/kernel_trial/ladder_bench.h"
#include "sim/machine/background.h"
#include "sim/user_kernel/ladder.h"

namespace stencil {
namespace {

using user_kernel::LadderReport;
using user_kernel::LadderRow;
using user_kernel::Rung;

constexpr float kLinesShown = 16;

struct LadderState {
    std::shared_ptr<Background<LadderReport>> work = std::make_shared<Background<LadderReport>>();
    std::optional<LadderReport> report;
    std::string failure;
};

// In the order of the rungs; the letters are those of the methods' pictures.
const MethodPicture& picture_of(std::size_t rung) {
    static const MethodPicture pictures[] = {
        {.cells = {"#........", "#........", "#........", "#........"},
         .legend = "The cells of a warp: one in each of 32 rows"},
        {.cells = {"..hhhhhhhhhhhh..", ".h############h.", "..hhhhhhhhhhhh.."},
         .legend = "The cells of a warp: a row, read in one access"},
        {.cells = {".hhhhhhhhhhhh.", "h############h", "h############h", "h############h", ".hhhhhhhhhhhh."},
         .legend = "A tile and its halo, loaded once for all threads of the block"},
        {.cells = {"..h.......", ".hAhBBBBBB", ".hAhBBBBBB", ".hAhBBBBBB", "..h......."},
         .legend = "A column of cells in the registers of a thread; west and east by shared memory"},
        {.cells = {"..hhhh....", ".hAAAABBBB", ".hAAAABBBB", ".hAAAABBBB", "..hhhh...."},
         .legend = "A thread: four columns, loaded 16 bytes at once"},
        {.cells = {"hhhhhhhhhhhh", "AAAABBBBAAAA", "AAAABBBBAAAA", "hhhhhhhhhhhh"},
         .legend = "The lanes of a warp hand the cells at their seams to each other"},
        {.cells =
             {"hhhhhhhhhhhh", "hhhhhhhhhhhh", "hh########hh", "hh########hh", "hhhhhhhhhhhh", "hhhhhhhhhhhh"},
         .legend = "A tile with the ghost zone that several steps use up"},
        {.boxes = {"memory", "warp 0:\nstep 1", "warp 1:\nstep 2", "memory"},
         .legend = "Rows pass from warp to warp through a ring in shared memory"},
    };
    return pictures[rung];
}

void take_result(LadderState& state) {
    try {
        if (auto report = state.work->poll()) state.report = std::move(report);
    } catch (const std::exception& error) {
        state.failure = error.what();
    }
}

void begin_measuring(LadderState& state, const Snapshot& snapshot) {
    SuiteSpec spec;
    spec.run = snapshot.now;
    spec.run.kernel.reset();
    spec.run.edits = {};
    spec.run.initial = "noise";
    spec.run.initials.clear();
    spec.run.initial_hash.clear();
    spec.sizes = {*snapshot.now.size};
    spec.repeats = kMinRepeats;
    spec.repeat_seconds = 0.05;
    state.failure.clear();
    state.work->start([spec, machine = snapshot.machine](const std::stop_token& stop) {
        constexpr double kLimitSeconds = 10;
        user_kernel::LadderBench bench(user_kernel::ladder_spec(spec, *machine), *machine, kLimitSeconds);
        for (const user_kernel::LadderKernel& kernel : user_kernel::ladder_kernels(""))
            if (!kernel.is_variant && !stop.stop_requested())
                bench.measure(kernel, nullptr, [&] { return stop.stop_requested(); });
        return bench.report();
    });
}

void draw_measuring(LadderState& state, const Snapshot& snapshot) {
    if (!snapshot.machine || !snapshot.machine->has_cuda()) {
        const std::string why = snapshot.machine ? snapshot.machine->cuda.why_none : "no GPU found";
        return paragraph(fmt::format("No figures: {}. Each rung can be read, started from and checked "
                                     "here; a GPU times it.",
                                     why),
                         faint_color());
    }
    const bool busy = state.work->busy();
    std::string why_not;
    if (busy) why_not = "Measuring";
    if (snapshot.now.is_general()) why_not = "The ladder steps diffusion: choose that model";
    if (button("Measure the ladder",
               button_size(1),
               "Checks and times all rungs at the present size.\nstencilscope bench --ladder",
               why_not))
        begin_measuring(state, snapshot);
    if (!state.failure.empty()) error_text(state.failure);
}

const LadderRow* row_of(const LadderState& state, const Rung& rung) {
    if (!state.report) return nullptr;
    for (const LadderRow& row : state.report->rows)
        if (row.kernel == rung.name && row.figures && row.figures->measured()) return &row;
    return nullptr;
}

void draw_figures(const LadderReport& report, const LadderRow& row) {
    if (!begin_values("rung")) return;
    const double copy = report.limits.copy_gcells(report.spec.run.dtype);
    value_row("Updates", row.figures->speed.gcells_per_s, "GCells/s", "Cell updates per second / 1e9");
    if (row.gain > 0) value_row("Gain", row.gain, "times", "Over the rung before");
    value_row("Copy limit", copy * row.trial.steps_fused, "GCells/s", "Of a copy, times the steps of a pass");
    value_row("Error",
              fmt::format("{:.1e}", row.figures->error),
              fmt::format("after {} steps", row.figures->total_steps),
              "Relative 2-norm against float64");
    end_values();
}

void draw_code_lines(const Rung& rung, const Rung* before) {
    ImGui::PushFont(monospace_font());
    ImGui::BeginChild("code",
                      ImVec2(0, kLinesShown * ImGui::GetTextLineHeight()),
                      true,
                      ImGuiWindowFlags_HorizontalScrollbar);
    for (const user_kernel::CodeLine& line : code_lines(rung, before))
        ImGui::TextColored(
            line.is_new ? good_color() : text_color(), "%.*s", int(line.text.size()), line.text.data());
    ImGui::EndChild();
    ImGui::PopFont();
}

void draw_rung(UiState& ui, const LadderState& state, std::size_t i) {
    const Rung& rung = user_kernel::ladder()[i];
    const Rung* before = i > 0 ? &rung - 1 : nullptr;
    const LadderRow* row = row_of(state, rung);
    const std::string title =
        fmt::format("{}. {}{}###{}",
                    i + 1,
                    rung.title,
                    row ? fmt::format(": {} GCells/s", format_figures(row->figures->speed.gcells_per_s)) : "",
                    rung.name);
    if (!unfolded(title.c_str(), rung.idea)) return;
    draw_picture(picture_of(i));
    paragraph(rung.idea, text_color());
    paragraph("What limits it: " + rung.limit, faint_color());
    if (row) {
        draw_figures(*state.report, *row);
        draw_occupancy(ui,
                       row->trial.usage,
                       user_kernel::read_launch_shape(rung.text, std::string(rung.name)),
                       row->trial.compute_capability);
    }
    if (before)
        paragraph("Lines that rung " + std::to_string(i) + " does not have are green.", faint_color());
    draw_code_lines(rung, before);
    if (button("Start from this",
               button_size(2),
               fmt::format("Writes {}.cu, unless it exists, and tries it whenever you save it", rung.name)))
        start_kernel(ui, std::string(rung.name));
    same_line();
    copy_button(
        ui, std::string(rung.name).c_str(), button_size(2), std::string(rung.text), "Copies the file");
}

}  // namespace

void draw_ladder(UiState& ui, const Snapshot& snapshot) {
    auto& state = ui.panel.of<LadderState>();
    paragraph("The same step of diffusion by eight kernels, each with one idea more than the one before.",
              text_color());
    take_result(state);
    draw_measuring(state, snapshot);
    for (std::size_t i = 0; i < user_kernel::ladder().size(); ++i) draw_rung(ui, state, i);
}

}  // namespace stencil
