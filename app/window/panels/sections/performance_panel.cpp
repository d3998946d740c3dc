#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/window/format.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/plots/plot.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/bench/speed_chart.h"
#include "sim/examples/report/report_text.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

void draw_jump(const Snapshot& snapshot) {
    value_row("Jump",
              format_measured(snapshot.cost.stepping_ms),
              "ms",
              "Time of all steps between two pictures at once, which is the same for any number: no speed in "
              "cells per second could be compared with that of a method that steps");
}

void draw_steps_speed(const Speed& speed) {
    value_row("Step",
              format_measured(speed.us_per_step),
              "us",
              "Time of one explicit step, over the newest batches: device events on CUDA, the host's clock "
              "on the CPU. No file, picture or transfer is in it.");
    value_row("Updates",
              format_measured(speed.gcells_per_s),
              "GCells/s",
              "Cell updates per second / 1e9, over the time of stepping alone");
    value_row("Effective",
              format_measured(speed.effective_gb_per_s),
              "GB/s",
              "2 x bytes per cell x GCells/s: what a method that reads and writes each cell once per step "
              "would move");
}

void draw_speed(const Snapshot& snapshot) {
    if (!begin_values("speed")) return;
    if (const Method* method = method_of(snapshot.now); method && method->jumps)
        draw_jump(snapshot);
    else
        draw_steps_speed(snapshot.speed);
    value_row("Copy",
              format_measured(snapshot.limits.copy_gb_per_s),
              "GB/s",
              "Measured on this machine: the fastest of some copies between two arrays, read and write both "
              "counted. On CUDA they are 1 GiB each, on the CPU as large as the last-level cache or larger.");
    value_row("Steps/frame",
              format_measured(double(snapshot.last_batch),
                              [](double steps) { return format_count(static_cast<long long>(steps)); }),
              "steps",
              "Steps between the newest two frames");
    end_values();
}

void draw_ratio(const Snapshot& snapshot) {
    if (snapshot.limits.copy_gb_per_s <= 0 || snapshot.speed.effective_gb_per_s <= 0) return;
    const double share = snapshot.speed.effective_gb_per_s / snapshot.limits.copy_gb_per_s;
    share_bar(share,
              format_share(share) + " of copy",
              "The effective bandwidth over that of a copy. Beyond 100% the field stays in the cache, or "
              "several steps share a pass over memory.");
    if (share > 1)
        paragraph("Beyond 100%: steps share a pass over memory, or the field stays in the cache.",
                  faint_color());
}

// Lists the methods that the button measured; exact n-step propagation has a time, not a speed.
void draw_measured_methods(const std::vector<MethodSpeed>& speeds, double edge) {
    const auto is_of_ladder = [&](const MethodSpeed& speed) { return speed.error && speed.edge == edge; };
    if (std::ranges::none_of(speeds, is_of_ladder) || !begin_values("methods")) return;
    value_row("Method", "GCells/s", "Error", "As measured on a random field of this size");
    for (const MethodSpeed& speed : speeds) {
        if (!is_of_ladder(speed)) continue;
        const bool jumps = speed.jump_seconds > 0;
        value_row(std::string(speed.method->name).c_str(),
                  jumps ? format_time(speed.jump_seconds) : format_figures(speed.gcells_per_s),
                  fmt::format("{:.1e}", *speed.error),
                  jumps ? "The time of any number of steps at once"
                        : "Cell updates per second / 1e9, and the relative 2-norm from float64");
    }
    end_values();
}

// Adds the present run's speed as a point of its method until that is measured well enough to be stored.
void draw_ladder_chart(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const Method* method = method_of(now);
    if (!method || !now.size) return;
    const double edge = std::sqrt(double(now.size->nx) * now.size->ny);
    const double running = snapshot.speed.gcells_per_s;
    std::vector<MethodSpeed> speeds = snapshot.speeds;
    const bool known = std::ranges::any_of(
        speeds, [&](const MethodSpeed& speed) { return speed.method == method && speed.edge == edge; });
    if (!known && running > 0 && !now.kernel) speeds.push_back({method, edge, running, {}});
    if (speeds.empty())
        paragraph("Speeds come with the first steps.", faint_color());
    else
        draw_ring(draw_plot(speed_chart(speeds, snapshot.limits, now.dtype), em(17)), edge, running);
    const std::string size = fmt::format("{}x{}", now.size->nx, now.size->ny);
    if (button("Measure all methods",
               button_size(1),
               fmt::format(
                   "Every method of the backend on a random field of this size, each speed with its error. "
                   "The run stands still meanwhile, and goes on as it was.\nstencilscope bench --size {}",
                   size),
               snapshot.measuring_ladder ? "It is being measured; any other order ends it" : ""))
        ui.act(action::MeasureLadder{});
    mark(ui, TourSpot::ladder);
    draw_measured_methods(speeds, edge);
}

void draw_frame_cost(const UiState& ui, const Snapshot& snapshot) {
    const EngineCost& engine = snapshot.cost;
    const InterfaceCost& cost = ui.cost;
    if (!begin_values("frame")) return;
    const auto milliseconds = [](const char* label, double value, std::string_view tip) {
        value_row(label, format_measured(value), "ms", tip);
    };
    milliseconds(
        "Frame", cost.frame_ms, "From one drawing of the window to the next, while they follow each other");
    value_row("Fields",
              format_measured(cost.fields_per_s, format_figures),
              "frames/s",
              "New fields shown per second; none while the run stands still");
    value_row("Steps",
              format_measured(cost.steps_per_s, format_figures),
              "steps/s",
              "The steps of these fields per second, pictures and waiting included");
    milliseconds("Stepping",
                 engine.stepping_ms,
                 "The kernels' own time for the steps between two pictures; the speeds above are theirs");
    milliseconds("Waiting",
                 engine.waiting_ms,
                 "Between ordering these steps and their end, beside stepping: launches and, on a GPU that "
                 "draws the window too, the switch from OpenGL to CUDA (0.3 ms on an H200). A frame pays it "
                 "once, however many steps it makes.");
    milliseconds("Resampling",
                 engine.resampling_ms,
                 "From the visible cells to pixels, of all panes: time of the device that steps");
    milliseconds("Measuring", engine.measuring_ms, "Ranges of the colours, statistics, histogram and probes");
    milliseconds(
        "Transfer",
        cost.transfer_ms,
        ui.transfer.interop ? "Pixels into the texture: GPU time" : "Pixels into the texture: host time");
    milliseconds("Drawing",
                 cost.drawing_ms,
                 "The GPU's time for the picture and the panels; where OpenGL is software, the processor's");
    milliseconds(
        "Interface", cost.interface_ms, "The processor's time for building the panels and sending them off");
    end_values();
}

void draw_memory_bar(const char* label, double used, double total, std::string_view tip) {
    if (total <= 0) return;
    row(label, tip);
    share_bar(used / total, fmt::format("{} of {}", format_bytes(used), format_bytes(total)), tip);
}

void draw_fact(const char* label, std::string_view text, std::string_view tip) {
    row(label, tip);
    paragraph(text.empty() ? kUnknown : text, text.empty() ? faint_color() : text_color());
}

}  // namespace

void draw_performance(UiState& ui, const Snapshot& snapshot) {
    draw_speed(snapshot);
    draw_ratio(snapshot);
    subtitle(
        "Methods",
        "What the methods reached in this session on sizes of the field, beside the limits of the machine: "
        "copies of all cells, one step a pass, and instructions (of diffusion three a cell). The ring is the "
        "run.");
    draw_ladder_chart(ui, snapshot);
    subtitle("Of one frame", "Medians over the newest frames; stepping and drawing go on at the same time");
    draw_frame_cost(ui, snapshot);
    subtitle("Memory", "What is in use");
    draw_memory_bar("GPU",
                    snapshot.memory.gpu_used,
                    snapshot.memory.gpu_total,
                    "In use on the GPU by all programs, of what it has");
    draw_memory_bar("Host",
                    snapshot.memory.host_used,
                    snapshot.memory.host_total,
                    "Held by this program, of what the machine has");
    subtitle("Machine", "What computes and what draws");
    draw_fact("Steps on", snapshot.device, "What the field is on");
    draw_fact("Drawn by", ui.gl_renderer, "What OpenGL says draws the window");
    draw_fact("Transfer",
              ui.transfer.text,
              ui.transfer.interop
                  ? "CUDA writes into the texture that OpenGL draws; nothing passes through the host"
                  : "The visible pixels pass through the host's memory in every frame");
}

}  // namespace stencil
