#include <fmt/format.h>

#include "app/window/format.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "kernels/cuda/gpu_facts.h"
#include "sim/user_kernel/occupancy.h"

namespace stencil {

void draw_occupancy(UiState& ui,
                    const user_kernel::Usage& usage,
                    const user_kernel::LaunchShape& shape,
                    int compiled_for) {
    int& chosen = ui.panel.occupancy_capability;
    const auto name = [](int capability) {
        return fmt::format("{} ({})", known_gpu(capability).name, capability_name(capability));
    };
    const int capability = chosen == 0 ? compiled_for : chosen;
    combo_row("On", name(capability).c_str(), "The GPU whose multiprocessor holds the blocks", [&] {
        for (const KnownGpu& gpu : known_gpus())
            if (const int its = gpu.facts.capability; choice(name(its).c_str(), its == capability, ""))
                chosen = its;
    });
    const auto occupancy = user_kernel::occupancy_of(usage, shape, capability);
    if (!occupancy)
        return paragraph(
            "The limits of compute capability " + capability_name(capability) + " are not known.",
            faint_color());
    if (!begin_values("occupancy")) return;
    value_row("Registers",
              double(usage.registers),
              "a thread",
              "By the compiler, for compute capability " + capability_name(compiled_for));
    value_row(
        "Shared memory", std::to_string(usage.shared_bytes + shape.shared_bytes), "bytes", "Of a block");
    value_row("Threads", double(shape.block_x * shape.block_y), "a block", "32 are a warp");
    value_row("Blocks", std::to_string(occupancy->blocks), "", "That a multiprocessor holds");
    value_row("Warps",
              std::to_string(occupancy->warps),
              fmt::format("of {}", occupancy->most),
              "That a multiprocessor holds, of the most that it can");
    value_row("Occupancy", format_share(occupancy->share()), "", "Limited by " + occupancy->limited_by);
    end_values();
    paragraph("Limited by " + occupancy->limited_by, faint_color());
}

}  // namespace stencil
