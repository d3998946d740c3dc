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
#include "sim/examples/report.h"
#include "sim/machine/median.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

void draw_speed(const Snapshot& snapshot) {
    if (!begin_values("speed")) return;
    const Speed& speed = snapshot.speed;
    if (const Method* method = method_of(snapshot.now); method && method->jumps) {
        value_row("Jump",
                  snapshot.cost.stepping_ms,
                  "ms",
                  "Time of all steps of a frame at once. It does not depend on their number, so there is no "
                  "speed in cells per second.");
    } else {
        value_row("Step",
                  speed.us_per_step,
                  "\xc2\xb5s",
                  "Time per step, over the newest batches, without files, pictures and transfers");
        value_row("Updates", speed.gcells_per_s, "GCells/s", "Cell updates per second / 1e9");
        value_row(
            "Effective",
            speed.effective_gb_per_s,
            "GB/s",
            "2 x bytes per cell x GCells/s: the bandwidth if each cell is read and written once per step");
    }
    const double copy = snapshot.limits.copy_gb_per_s;
    value_row("Copy", copy, "GB/s", "Measured bandwidth of a copy on this machine, reads and writes counted");
    const long long batch = snapshot.last_batch;
    value_row("Steps/frame",
              batch > 0 ? format_count(batch) : std::string(kUnknown),
              "steps",
              "Steps between the newest two frames");
    end_values();
    if (copy <= 0 || speed.effective_gb_per_s <= 0) return;
    const double share = speed.effective_gb_per_s / copy;
    share_bar(share, format_share(share) + " of copy", "Effective bandwidth over that of a copy");
    if (share > 1)
        paragraph("Above 100%: several steps per pass over memory, or the field is in the cache.",
                  faint_color());
}

// Lists the methods that the button measured; exact n-step propagation has a time, not a speed.
void draw_measured_methods(const std::vector<MethodSpeed>& speeds, double edge) {
    const auto is_of_suite = [&](const MethodSpeed& speed) { return speed.error && speed.edge == edge; };
    if (std::ranges::none_of(speeds, is_of_suite) || !begin_values("methods")) return;
    value_row("Method", "GCells/s", "Error", "Measured on a random field of this size");
    for (const MethodSpeed& speed : speeds) {
        if (!is_of_suite(speed)) continue;
        const bool jumps = speed.jump_seconds > 0;
        value_row(std::string(speed.method->name).c_str(),
                  jumps ? format_time(speed.jump_seconds) : format_figures(speed.gcells_per_s),
                  fmt::format("{:.1e}", *speed.error),
                  jumps ? "Time of any number of steps at once"
                        : "Cell updates per second / 1e9, and the relative error (2-norm) against float64");
    }
    end_values();
    for (const MethodSpeed& speed : speeds)
        if (const std::string noise = noise_text(speed.spread); is_of_suite(speed) && !noise.empty())
            paragraph(fmt::format("{}: {}. Other programs may be running.", speed.method->name, noise),
                      warning_color());
}

// Returns the shipped figures of the GPU that was chosen, or of the newest one.
const MeasuredMachine* compared_gpu(const UiState& ui) {
    const MeasuredMachine* newest = nullptr;
    for (const MeasuredMachine& machine : shipped_figures()) {
        if (machine.device != Device::cuda) continue;
        if (machine.short_name == ui.compared_gpu) return &machine;
        newest = &machine;
    }
    return newest;
}

// Draws the chart of methods. The present run's speed is a point of its method until it is measured well
// enough to be stored.
void draw_suite_chart(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const Method* method = method_of(now);
    if (!method || !now.size) return;
    const double edge = std::sqrt(double(now.size->nx) * now.size->ny);
    const double running = snapshot.speed.gcells_per_s;
    std::vector<MethodSpeed> speeds = snapshot.speeds;
    const bool known = std::ranges::any_of(
        speeds, [&](const MethodSpeed& speed) { return speed.method == method && speed.edge == edge; });
    if (!known && running > 0 && !now.kernel) speeds.push_back({method, edge, running, {}});
    const bool without_gpu = snapshot.machine && !snapshot.machine->has_cuda() && !now.is_general();
    const MeasuredMachine* gpu = compared_gpu(ui);
    figure::Chart chart = speed_chart(speeds, snapshot.limits, now.dtype);
    if (without_gpu) compare_with(chart, *gpu, now.dtype);
    const auto card = [&](const std::string& name) {
        for (const Method& row : methods(now.family()))
            if (row.name == name) return draw_method_card(row);
    };
    if (chart.series.empty())
        paragraph("Available after the first steps.", faint_color());
    else
        draw_ring(draw_plot(chart, em(17), card), edge, running);
    if (without_gpu) {
        paragraph(fmt::format("Dashed curves: the GPU methods, as measured on an {}. Lines: limits set by "
                              "copying memory and by arithmetic. Hover over a point for its method.",
                              gpu->name),
                  faint_color());
        combo_row("GPU", gpu->short_name.c_str(), "Whose figures are drawn", [&] {
            for (const MeasuredMachine& machine : shipped_figures())
                if (machine.device == Device::cuda &&
                    choice(machine.short_name.c_str(), &machine == gpu, machine.name))
                    ui.compared_gpu = machine.short_name;
        });
    }
    const std::string size = fmt::format("{}x{}", now.size->nx, now.size->ny);
    if (button("Measure all methods",
               button_size(1),
               fmt::format("Speed and error of every method of the backend on a random field of this size. "
                           "The run pauses meanwhile.\nstencilscope bench --size {}",
                           size),
               snapshot.measuring_suite ? "Measuring. Any other command cancels it." : ""))
        ui.act(action::MeasureSuite{});
    mark(ui, TourSpot::suite);
    draw_measured_methods(speeds, edge);
}

void draw_roofline(const Snapshot& snapshot) {
    std::vector<MethodSpeed> speeds = snapshot.speeds;
    const Method* method = method_of(snapshot.now);
    for (MethodSpeed& speed : speeds)
        if (speed.method == method && snapshot.way.steps_fused) speed.steps_fused = *snapshot.way.steps_fused;
    const figure::Chart chart = roofline_chart(speeds, snapshot.limits, snapshot.now.dtype);
    if (chart.series.empty())
        paragraph("Available once a method's speed and the limits are measured.", faint_color());
    else
        draw_plot(chart, em(17));
}

void draw_frame_cost(const UiState& ui, const Snapshot& snapshot) {
    const EngineCost& engine = snapshot.cost;
    const InterfaceCost& cost = ui.cost;
    if (!begin_values("frame")) return;
    value_row("Frame", cost.frame_ms, "ms", "Time from one frame of the window to the next");
    value_row("Fields", cost.fields_per_s, "frames/s", "New fields shown per second; none while paused");
    value_row("Steps", cost.steps_per_s, "steps/s", "Steps per second, drawing and waiting included");
    value_row("Stepping", engine.stepping_ms, "ms", "Time of the kernels for the steps of a frame");
    value_row(
        "Waiting",
        engine.waiting_ms,
        "ms",
        "Overhead once per frame: launches and, on a GPU that also draws, the switch from OpenGL to CUDA "
        "(0.3 ms on an H200)");
    value_row("Resampling", engine.resampling_ms, "ms", "Sampling the visible cells to pixels, all panes");
    value_row("Measuring", engine.measuring_ms, "ms", "Colour ranges, statistics, histogram and probes");
    value_row("Transfer",
              cost.transfer_ms,
              "ms",
              ui.transfer.interop ? "Copying pixels to the texture: GPU time"
                                  : "Copying pixels to the texture: host time");
    value_row("Drawing",
              cost.drawing_ms,
              "ms",
              "Drawing the field and the panels: GPU time, or CPU time with software OpenGL");
    value_row("Interface", cost.interface_ms, "ms", "Building the panels: CPU time");
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
    subtitle("Methods",
             "Speeds measured in this session by field size, with the limits as dashed lines: memory "
             "(a copy, one step per pass) and instructions (for diffusion, three per cell). The ring is the "
             "present run.");
    draw_suite_chart(ui, snapshot);
    subtitle("Roofline",
             "Operations per second over operations per byte of memory: to the left of a roof's bend memory "
             "(or L2) limits, to the right arithmetic. Steps that share a pass over memory move a method to "
             "the right.\nstencilscope bench --out DIR");
    draw_roofline(snapshot);
    subtitle("Time per frame", "Medians over the newest frames; stepping and drawing overlap");
    draw_frame_cost(ui, snapshot);
    subtitle("Memory", "Memory in use");
    draw_memory_bar("GPU",
                    snapshot.memory.gpu_used,
                    snapshot.memory.gpu_total,
                    "Used by all programs on the GPU, of its total");
    draw_memory_bar("Host",
                    snapshot.memory.host_used,
                    snapshot.memory.host_total,
                    "Used by this program, of the machine's total");
    subtitle("Machine", "What computes and draws");
    draw_fact("Computes on", snapshot.device, "Device that holds the field");
    draw_fact("Draws with", ui.gl_renderer, "OpenGL renderer");
    draw_fact("Transfer",
              ui.transfer.text,
              ui.transfer.interop ? "CUDA writes directly into OpenGL's texture"
                                  : "Visible pixels are copied through host memory");
}

}  // namespace stencil
