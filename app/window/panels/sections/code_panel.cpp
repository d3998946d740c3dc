#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <iterator>

#include "app/window/format.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "sim/code/generated_code.h"
#include "sim/text/parse.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

constexpr float kTextHeight = 16;  // in lines

// Returns a key of all settings that the generated code depends on.
std::string key_of(const RunSpec& now) {
    return fmt::format("{} {} {} {} {} {} {} {}\n{}",
                       now.backend,
                       name_of(now.dtype),
                       now.size->nx,
                       now.size->ny,
                       name_of(now.integrator),
                       now.dx,
                       boundary_text(now),
                       now.boundary_as_typed,
                       now.model->text);
}

void draw_way(const ExecutionPath& way, const RunSpec& now) {
    row("Steps", "How steps are computed now; all ways give the same bits");
    if (user_kernel::fits(now))
        paragraph(now.kernel->name + " steps the field", text_color());
    else
        paragraph(way.name, good_color());
    if (way.compiling) paragraph("Compiling faster code", warning_color());
    if (!way.why_not.empty()) paragraph(way.why_not, warning_color());
    if (!way.origin.empty()) fitted_text(way.origin, ImGui::GetContentRegionAvail().x, faint_color());
}

void draw_limits(const GeneratedCode& code, const Snapshot& snapshot) {
    const SuiteLimits& limits = snapshot.limits;
    const DType dtype = snapshot.now.dtype;
    if (begin_values("limits")) {
        value_row("Operations",
                  format_real(code.operations),
                  "per cell",
                  fmt::format("Per step: {}", kOperationsCounted));
        value_row("Memory", format_real(code.bytes), "B per cell", "All components, read and written once");
        value_row("Copy limit",
                  limits.copy_gcells(dtype),
                  "GCells/s",
                  "Limit set by memory bandwidth, at one step per pass");
        value_row("Arithmetic limit",
                  limits.issue_gcells(),
                  "GCells/s",
                  "Limit set by the peak rate of instructions");
        value_row("Measured", snapshot.speed.gcells_per_s, "GCells/s", "The newest steps");
        end_values();
    }
    const auto share = [&](double limit, const char* of, std::string_view tip) {
        const double reached = snapshot.speed.gcells_per_s;
        if (limit > 0 && reached > 0) share_bar(reached / limit, format_share(reached / limit) + of, tip);
    };
    share(limits.copy_gcells(dtype),
          " of the copy limit",
          "Above 100%: several steps per pass over memory, or the field is in the cache");
    share(limits.issue_gcells(), " of the arithmetic limit", "The rest is other instructions and waiting");
}

void draw_kernels(const GeneratedCode& code, const ExecutionPath& way) {
    const std::vector<CodeRow> rows = code_rows(code, way);
    if (rows.empty()) return;
    subtitle("Kernels",
             "Candidates: registers and spilled bytes per thread, blocks per multiprocessor, measured speed. "
             "The fastest is used.");
    for (const CodeRow& row : rows) {
        paragraph(row.name, row.used ? good_color() : text_color());
        ImGui::Indent(em(1));
        paragraph(figures_text(row), faint_color());
        ImGui::Unindent(em(1));
    }
    if (!code.why_single.empty() && code.why_single != way.why_not)
        paragraph("One step at a time: " + code.why_single, faint_color());
}

// Returns the stages (0) or one of the code's texts.
CodeText text_of(const CodeState& state, std::size_t which) {
    const GeneratedCode& code = state.code.result;
    return which == 0 ? CodeText{"stages of a step", "", code.stages} : code.texts[which - 1];
}

std::string title_of(const CodeText& text) {
    return text.language.empty() ? text.name : fmt::format("{}: {}", text.language, text.name);
}

void draw_lines(const std::string& text, float height) {
    ImGui::PushFont(monospace_font());
    ImGui::BeginChild("lines", ImVec2(0, height), true, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::EndChild();
    ImGui::PopFont();
}

void draw_choice(CodeState& state) {
    constexpr std::string_view kTip = "The stages of a step, or generated code";
    ImGui::SetNextItemWidth(-FLT_MIN);
    combo("##text of", title_of(text_of(state, state.chosen)).c_str(), kTip, [&] {
        for (std::size_t i = 0; i <= state.code.result.texts.size(); ++i)
            if (choice(title_of(text_of(state, i)).c_str(), i == state.chosen, "")) state.chosen = i;
    });
}

// The GPU that the CUDA code is planned and compiled for.
GpuFacts facts_of(const CodeState& state) {
    return state.compute_capability == 0 ? gpu_facts() : known_gpu(state.compute_capability).facts;
}

// Shows the registers that the shown CUDA text uses; compiling it may take seconds.
void draw_compiled(CodeState& state) {
    if (state.chosen == 0 || text_of(state, state.chosen).language != "CUDA") return;
    const auto name = [](const KnownGpu& gpu) {
        return fmt::format("{} ({})", gpu.name, capability_name(gpu.facts.capability));
    };
    const GpuFacts own = gpu_facts();
    const std::string here = default_compute_capability() > 0
                                 ? "this GPU (" + capability_name(own.capability) + ")"
                                 : name(known_gpu(own.capability));
    combo_row(
        "Compiled for",
        state.compute_capability == 0 ? here.c_str() : name(known_gpu(state.compute_capability)).c_str(),
        "The GPU that the code is planned and compiled for; it need not be there",
        [&] {
            if (choice(here.c_str(), state.compute_capability == 0, "")) state.compute_capability = 0;
            for (const KnownGpu& gpu : known_gpus())
                if (const int capability = gpu.facts.capability;
                    equation::nvrtc_compiles_for(capability) &&
                    choice(name(gpu).c_str(), capability == state.compute_capability, ""))
                    state.compute_capability = capability;
        });
    const bool done = state.registers.follow(
        fmt::format("{} {} {}", state.compute_capability, state.chosen, state.code.key),
        [text = text_of(state, state.chosen), capability = facts_of(state).capability] {
            const auto figures = compiler_figures(text, capability);
            if (!figures) return std::string("no CUDA compiler found");
            return fmt::format("{}, {} bytes spilled{}",
                               figures->registers,
                               figures->spilled_bytes,
                               figures->occupancy ? "\n" + to_text(*figures->occupancy) : "");
        });
    state.waits |= !done;
    row("Registers",
        "Per thread, by the CUDA compiler, and how many warps a multiprocessor of that GPU holds with them");
    if (done && !state.registers.failure.empty())
        paragraph(state.registers.failure, warning_color());
    else
        paragraph(done ? state.registers.result : "compiling", faint_color());
}

void draw_text(UiState& ui) {
    CodeState& state = ui.panel.code;
    subtitle("Text", "The equation as parsed and as compiled\nstencilscope models --code");
    draw_choice(state);
    draw_compiled(state);
    const std::string text = text_of(state, state.chosen).text;
    const ImVec2 half = button_size(2);
    copy_button(ui, "code", half, text, "Copies the text to the clipboard");
    same_line();
    if (button("Enlarge", half, "Shows it in a separate window")) state.large = !state.large;
    draw_lines(text, kTextHeight * ImGui::GetTextLineHeight());
    if (!state.large) return;
    over_canvas(ui, "Generated code##large", state.large, {{0.8f, 0.9f}, {70, 60}}, [&] {
        draw_choice(state);
        draw_lines(text_of(state, state.chosen).text, 0);
    });
}

}  // namespace

void draw_code(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    if (!now.is_general()) {
        paragraph(
            "du/dt = D*lap(u) by euler has hand-written kernels. Type another equation, or choose one from "
            "the "
            "gallery, to see its generated code.",
            faint_color());
        return;
    }
    CodeState& state = ui.panel.code;
    const std::string key = fmt::format("{} {}", state.compute_capability, key_of(now));
    state.waits = !state.code.follow(key, [now, gpu = facts_of(state)] {
        const Device device = method_of(now)->device;
        GeneratedCode code = generated_code(now, device, gpu);
        if (device == Device::cpu)
            std::ranges::move(generated_code(now, Device::cuda, gpu).texts, std::back_inserter(code.texts));
        return code;
    });
    if (state.code.key.empty()) return paragraph("Generating the code", faint_color());
    if (!state.code.failure.empty())
        return paragraph("No code was generated: " + state.code.failure, warning_color());
    state.chosen = std::min(state.chosen, state.code.result.texts.size());
    draw_way(snapshot.way, now);
    draw_limits(state.code.result, snapshot);
    if (method_of(now)->device == Device::cuda || !snapshot.way.tried.empty())
        draw_kernels(state.code.result, snapshot.way);
    draw_text(ui);
}

}  // namespace stencil
