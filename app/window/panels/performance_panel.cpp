#include <fmt/format.h>

#include "app/window/format.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets.h"
#include "sim/parse.h"

namespace stencil {
namespace {

void draw_speed(const Snapshot& snapshot) {
    const Speed& speed = snapshot.speed;
    if (!begin_values("speed")) return;
    value_row(
        "step", format_fixed(speed.us_per_step), "\xc2\xb5s", "Time of one step, over the newest batches");
    value_row("updates", format_fixed(speed.gcells_per_s), "GCells/s", "Cells updated per second, in 1e9");
    value_row("effective",
              format_fixed(speed.effective_gb_per_s),
              "GB/s",
              "What a method that reads and writes every cell once per step would move");
    value_row("copy",
              format_fixed(snapshot.copy_gb_per_s),
              "GB/s",
              "Measured here: a plain copy between two large arrays, the pace that memory sets");
    value_row("batch", format_count(snapshot.last_batch), "steps", "Steps between the newest two frames");
    end_values();
}

void draw_ratio(const Snapshot& snapshot) {
    if (snapshot.copy_gb_per_s <= 0) return;
    const double share = snapshot.speed.effective_gb_per_s / snapshot.copy_gb_per_s;
    share_bar(
        share,
        format_share(share) + " of copy",
        "The effective bandwidth over the measured one. Beyond 100 % steps share a pass over the field, or "
        "the field stays in the cache.");
    if (share > 1)
        paragraph("beyond 100 %: steps share a pass, or the field stays in the cache", faint_color());
}

void draw_frame_cost(const UiState& ui, const Snapshot& snapshot) {
    const EngineCost& engine = snapshot.cost;
    const InterfaceCost& cost = ui.cost;
    if (!begin_values("frame")) return;
    value_row(
        "frame", format_fixed(cost.frame_ms), "ms", "Between two pictures, while they follow each other");
    value_row("rate", format_fixed(cost.frames_per_s), "frames/s", "Pictures per second");
    value_row("stepping", format_fixed(engine.stepping_ms), "ms", "The steps between two frames");
    value_row(
        "resampling", format_fixed(engine.resampling_ms), "ms", "From cells to the pixels of all panes");
    value_row(
        "measuring", format_fixed(engine.measuring_ms), "ms", "Ranges, statistics, histogram and probes");
    value_row("transfer", format_fixed(cost.transfer_ms), "ms", "Pixels into the texture");
    value_row("drawing", format_fixed(cost.drawing_ms), "ms", "The GPU's time for picture and panels");
    value_row("interface", format_fixed(cost.interface_ms), "ms", "The processor's time for the panels");
    end_values();
}

void draw_memory_bar(const char* label, double used, double total, std::string_view tip) {
    if (total <= 0) return;
    row(label, tip);
    share_bar(used / total, fmt::format("{} of {}", format_bytes(used), format_bytes(total)), tip);
}

void draw_fact(const char* label, std::string_view text, std::string_view tip) {
    row(label, tip);
    paragraph(text.empty() ? "not known yet" : text,
              text.empty() ? faint_color() : ImGui::GetStyleColorVec4(ImGuiCol_Text));
}

}  // namespace

void draw_performance(UiState& ui, const Snapshot& snapshot) {
    draw_speed(snapshot);
    draw_ratio(snapshot);
    subtitle("Of one frame", "Medians over the newest frames; stepping and drawing go on at the same time");
    draw_frame_cost(ui, snapshot);
    subtitle("Memory", "Of the whole machine");
    draw_memory_bar(
        "GPU", snapshot.memory.gpu_used, snapshot.memory.gpu_total, "Of the GPU, by all programs");
    draw_memory_bar(
        "Host", snapshot.memory.host_used, snapshot.memory.host_total, "Of the machine, by all programs");
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
