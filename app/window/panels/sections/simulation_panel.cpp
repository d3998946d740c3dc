#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <functional>
#include <utility>

#include "app/window/format.h"
#include "app/window/other_runs.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "kernels/methods/method.h"
#include "sim/bench/speed_chart.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/run/resolve.h"
#include "sim/session/pace.h"
#include "sim/text/parse.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

// --- Boundary and execution

// Adds the textbook's name: "zero (Dirichlet)".
std::string label_of(const BoundaryRow& row) {
    const std::string_view condition = row.boundary == Boundary::zero        ? " (Dirichlet)"
                                       : row.boundary == Boundary::insulated ? " (Neumann)"
                                                                             : "";
    return fmt::format("{}{}", row.name, condition);
}

void draw_boundary(UiState& ui, const RunSpec& now) {
    row("Boundary", "Boundary condition; takes effect at the next step\n--boundary B");
    const BoundaryRow& current = *std::ranges::find(kBoundaries, now.boundary, &BoundaryRow::boundary);
    constexpr std::string_view kTyped = "For each side and component as in the text";
    const std::string tip = now.boundary_as_typed
                                ? std::string(kTyped)
                                : fmt::format("{}\n--boundary {}", current.help, current.name);
    const std::string shown = now.boundary_as_typed ? std::string(kAsTyped) : label_of(current);
    combo("##boundary", shown.c_str(), tip, [&] {
        for (const BoundaryRow& boundary : kBoundaries)
            if (choice(label_of(boundary).c_str(),
                       !now.boundary_as_typed && &boundary == &current,
                       boundary.help))
                change(ui, setting_name::boundary, boundary.name);
        if (!now.model->uniform_boundary && choice(kAsTyped.data(), now.boundary_as_typed, kTyped))
            change(ui, setting_name::boundary, kAsTyped);
    });
}

bool is_on(const RunSpec& now, Device device) {
    return now.backend == name_of(device);
}

// Without a GPU, lists the methods that need one, with what they would do.
void draw_methods_of_gpu(const RunSpec& now, const Machine& machine) {
    for (const Method& method : methods(now.family())) {
        if (method.device != Device::cuda || find_method(method.name, Device::cpu, now.family())) continue;
        std::string why_not = fmt::format("Not here: {}", machine.cuda.why_none);
        for (const MeasuredMachine& measured : shipped_figures())
            if (const std::string figure = fastest_text(measured, method, now.dtype); !figure.empty())
                why_not = figure + "\n" + why_not;
        choice(
            method.name.data(), false, [&] { method_tooltip(method, why_not); }, why_not);
    }
}

void draw_method(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const bool automatic = snapshot.auto_method;
    const Method* current = method_of(now);
    constexpr std::string_view kTip =
        "Algorithm of the steps: all but fast give the same field, at different speeds\n--method NAME";
    row("Method", kTip);
    const std::string shown = automatic ? fmt::format("auto ({})", now.method) : user_kernel::stepped_by(now);
    const auto tip = [&] {
        if (!current) return tooltip(kTip);
        method_tooltip(*current,
                       fmt::format("{}--method {}",
                                   automatic ? "Chosen automatically\n" : "",
                                   automatic ? "auto" : current->name));
    };
    combo("##method", shown.c_str(), tip, [&] {
        if (choice("auto", automatic, "The fastest method of the backend for the steps of a frame"))
            change(ui, setting_name::method, "auto");
        for (const Method& method : methods(now.family())) {
            if (!is_on(now, method.device) || !method.is_built()) continue;
            const Size size = now.size.value_or(Size{});
            const std::string why_not =
                method.unsupported_reason ? method.unsupported_reason({size.nx, size.ny}, bytes_of(now.dtype))
                                          : "";
            const auto card = [&] { method_tooltip(method, why_not); };
            if (choice(method.name.data(), !automatic && &method == current, card, why_not))
                change(ui, setting_name::method, method.name);
        }
        if (snapshot.machine && !snapshot.machine->has_cuda()) draw_methods_of_gpu(now, *snapshot.machine);
    });
    mark(ui, TourSpot::method);
}

void draw_backend(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const bool cuda = snapshot.machine && snapshot.machine->has_cuda();
    const std::string why =
        cuda ? "" : "No CUDA: " + (snapshot.machine ? snapshot.machine->cuda.why_none : "not known yet");
    combo_row(
        "Backend", now.backend.c_str(), "Where the steps are computed; the field is kept\n--backend B", [&] {
            const Segment backends[] = {{"auto", "The GPU if there is one, else the CPU"},
                                        {"cpu", "The cores of the CPU, with SIMD"},
                                        {"cuda", "The NVIDIA GPU"}};
            for (const Segment& one : backends)
                if (choice(one.label, now.backend == one.label, one.tip, &one == &backends[2] ? why : ""))
                    change(ui, setting_name::backend, one.label);
        });
}

void draw_precision(UiState& ui, const RunSpec& now) {
    static constexpr Segment kSegments[] = {
        {"float32", "4 bytes per cell, about 7 digits: twice as fast when memory-bound\n--dtype float32"},
        {"float64", "8 bytes per cell, about 16 digits\n--dtype float64"}};
    if (const auto clicked = segmented_row("Precision",
                                           "Number format of a cell; the field is converted\n--dtype T",
                                           kSegments,
                                           now.dtype == DType::float32 ? 0 : 1))
        change(ui, setting_name::dtype, kSegments[*clicked].label);
}

void draw_threads(UiState& ui, const Snapshot& snapshot) {
    const int most =
        std::max({1, snapshot.now.threads, snapshot.machine ? snapshot.machine->cpu_threads : 1});
    const bool used = is_on(snapshot.now, Device::cpu) && most > 1;
    const std::string tip = used ? fmt::format("1 to {} CPU threads that step the field\n--threads N", most)
                            : most == 1 ? "This machine has one thread"
                                        : "Only for the CPU backend";
    const FieldRow field{.ui = ui, .label = "Threads", .tip = tip, .enabled = used};
    if (const auto entered = whole_row(field, snapshot.now.threads, 1, most))
        change(ui, setting_name::threads, std::to_string(*entered));
}

// --- Size and memory

void draw_size(UiState& ui, const Snapshot& snapshot) {
    SimulationState& state = ui.panel.simulation;
    const Size current = snapshot.now.size.value_or(Size{});
    Size size{state.nx > 0 ? state.nx : current.nx, state.ny > 0 ? state.ny : current.ny};
    row("Size", "Columns x rows of the field, in cells\n--size NX[xNY]");
    const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
    const float width = std::max(1.0f, (ImGui::GetContentRegionAvail().x - em(0.8f) - 2 * spacing) / 2);
    const auto draw_side = [&](const char* id, int& side, float wide, std::string_view tip) {
        ImGui::SetNextItemWidth(wide);
        if (const auto entered = whole_input(id, ui, side, 1, kMaxCells, tip)) side = int(*entered);
    };
    draw_side("##nx", size.nx, width, "Columns\n--size NX[xNY]");
    same_line();
    ImGui::TextUnformatted("\xc3\x97");
    same_line();
    draw_side("##ny", size.ny, -FLT_MIN, "Rows\n--size NX[xNY]");
    state.nx = size.nx == current.nx ? 0 : size.nx;
    state.ny = size.ny == current.ny ? 0 : size.ny;
    row("", "");
    const ImVec2 half = button_size(2);
    if (button("Presets", half, "Common square sizes")) ImGui::OpenPopup("presets");
    if (ImGui::BeginPopup("presets")) {
        for (const int n : {256, 512, 1024, 2048, 4096, 8192, 16384})
            if (ImGui::MenuItem(fmt::format("{0}x{0}", n).c_str())) state.nx = state.ny = n;
        ImGui::EndPopup();
    }
    same_line();
    const bool same = size == current;
    const std::string &columns_wrong = draft_of(ui, "##nx").wrong, &rows_wrong = draft_of(ui, "##ny").wrong;
    if (button("Apply",
               half,
               "Resizes the field. At step 0 the initial condition is made again; later the field is "
               "stretched and the run continues.",
               !columns_wrong.empty() ? columns_wrong
               : !rows_wrong.empty()  ? rows_wrong
               : same                 ? "The field has this size"
                                      : "")) {
        change(ui, setting_name::size, fmt::format("{}x{}", size.nx, size.ny));
        state.nx = state.ny = 0;
    }
    const MemoryPreview preview = memory_preview(snapshot, size, state.needs);
    if (preview.text.empty()) return;
    row("Needs", "Memory needed for a field of this size, exports included");
    const float room = ImGui::GetContentRegionAvail().x;
    fitted_text(preview.text, room, preview.fits ? text_color() : error_color());
}

// --- Steps

// Draws a number with a button; returns true if the button was pressed. `wrong`: why the number was refused.
bool draw_order(UiState& ui,
                const char* label,
                const char* verb,
                long long& value,
                std::string_view tip,
                std::string* wrong = nullptr) {
    ImGui::PushID(label);
    if (const auto entered = whole_row({ui, label, tip, em(4.2f)}, value, 0, kMaxSteps)) value = *entered;
    same_line();
    const std::string& why_not = draft_of(ui, fmt::format("##{}", label).c_str()).wrong;
    const bool pressed = button(verb, button_size(1), tip, why_not);
    if (wrong) *wrong = why_not;
    ImGui::PopID();
    return pressed;
}

void draw_stop(UiState& ui, const Snapshot& snapshot) {
    SimulationState& state = ui.panel.simulation;
    constexpr long long kAhead = 1000;
    constexpr std::string_view kTip =
        "The run pauses at exactly this step (2000), time (12.5t), or where a condition is true: max(v) < "
        "1e-3, "
        "steady:1e-6. The tiles of a sweep stop at a step only\n--steps N, --time T, --until CONDITION";
    row("Stop at", kTip);
    bool on = snapshot.stop_at.has_value();
    if (on) state.stop_at = *snapshot.stop_at;
    if (checkbox("##stops", &on, kTip)) {
        const long long now = shown_step(ui, snapshot).step;
        if (state.stop_at.steps <= now) state.stop_at = now + kAhead;
        ui.act(action::StopAt{on ? std::optional(state.stop_at) : std::nullopt});
    }
    same_line();
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::BeginDisabled(!on);
    text_field("##stop_at",
               ui,
               to_string(state.stop_at),
               on ? kTip : "Tick the box to stop at a step, a time or a condition",
               [&](const std::string& text) { ui.act(action::StopAt{read_ending(text, "stop at")}); });
    ImGui::EndDisabled();
}

// Returns the method's error on the benchmark's field, if it was measured.
std::optional<double> measured_error(const Snapshot& snapshot, const Method& method) {
    const auto known = std::ranges::find_if(snapshot.speeds, [&](const MethodSpeed& speed) {
        return speed.method == &method && speed.error.has_value();
    });
    return known == snapshot.speeds.end() ? std::nullopt : known->error;
}

// Draws both ways to jump to a step, with their times and, if measured, errors.
void draw_ways_to_jump(UiState& ui, const Snapshot& snapshot, std::string_view wrong) {
    const long long to = ui.panel.simulation.jump;
    const RunSpec& now = snapshot.now;
    const Method* stepping = method_of(now);
    if (!stepping || !now.size) return;
    const long long steps = to >= snapshot.step ? to - snapshot.step : to;
    const auto jump = AutoMethod::for_jump(now, steps, snapshot.speed.us_per_step * 1e-6, 0);
    constexpr std::string_view kErrors = "\"Measure all methods\" shows the errors of both.";
    const std::string time = jump ? fmt::format(" ({})", format_duration(jump->seconds)) : "";
    if (button_row(fmt::format("Step by step{}###by_steps", time).c_str(),
                   fmt::format("Step by step with {}. {}", stepping->name, kErrors),
                   wrong))
        ui.act(action::Jump{to, false});
    const std::string tip =
        !jump ? ""
              : fmt::format("All steps at once with the method {}, rounded once; then {} continues. {}",
                            jump->method->name,
                            stepping->name,
                            kErrors);
    const std::string_view why_not = !wrong.empty()                ? wrong
                                     : !snapshot.recording.empty() ? "The recording needs the steps between"
                                     : stepping->jumps ? "The present method makes all steps at once"
                                     : steps == 0      ? "The run is at this step"
                                     : !jump           ? "Only for du/dt = D*lap(u) by euler"
                                                       : "";
    if (button_row("Direct (spectral)", tip, why_not)) ui.act(action::Jump{to, true});
    const auto of_steps = measured_error(snapshot, *stepping);
    const auto of_jump = jump ? measured_error(snapshot, *jump->method) : std::nullopt;
    if (!of_steps || !of_jump) return;
    row("", "");
    paragraph(fmt::format("Errors: {:.0e} step by step, {:.0e} direct", *of_steps, *of_jump), faint_color());
}

void draw_steps(UiState& ui, const Snapshot& snapshot) {
    SimulationState& state = ui.panel.simulation;
    std::string wrong;
    if (draw_order(ui, "Advance by", "Step", state.steps, "Computes exactly this many steps, then pauses"))
        ui.act(action::Step{state.steps});
    if (draw_order(ui,
                   "Jump to step",
                   "Jump",
                   state.jump,
                   "Goes to exactly this step, then pauses; an earlier step is recomputed. With the method "
                   "auto, diffusion that would take more than 2 s is computed directly by the method "
                   "spectral. Space or Esc stops it.",
                   &wrong))
        ui.act(action::Jump{state.jump});
    if (!watched_tiles(ui, snapshot)) draw_ways_to_jump(ui, snapshot, wrong);
    draw_stop(ui, snapshot);
}

// Chooses the method again for a new size if the method is `auto`.
void choose_anew(RunSpec& wanted, const Snapshot& snapshot, bool anew) {
    const auto fits = [&](const Method& method) {
        return !method.unsupported_reason ||
               method.unsupported_reason({wanted.size->nx, wanted.size->ny}, bytes_of(wanted.dtype)).empty();
    };
    const Method* method = anew ? &choose_method(request_for(wanted, snapshot.steps_per_call), fits)
                                : AutoMethod::for_change(snapshot.now, wanted, snapshot.steps_per_call);
    if (method) wanted.method = method->name;
}

}  // namespace

MemoryPreview memory_preview(const Snapshot& snapshot, Size size, MemoryNeedsOf& known) {
    RunSpec wanted = snapshot.now;
    wanted.size = size;
    wanted.exports.clear();  // exports are checked when they are written
    if (!method_of(wanted) || !snapshot.machine || snapshot.memory.host_free <= 0) return {};
    const bool anew = snapshot.step == 0 && snapshot.spec.edits.empty();
    const double cells = double(size.nx) * size.ny;
    try {
        if (snapshot.auto_method && size != *snapshot.now.size) choose_anew(wanted, snapshot, anew);
        const auto key = fmt::format("{} {}x{} {} {} {} {} {} {} {}",
                                     std::hash<std::string>()(wanted.model->text),
                                     size.nx,
                                     size.ny,
                                     name_of(wanted.dtype),
                                     wanted.method,
                                     wanted.backend,
                                     name_of(wanted.integrator),
                                     wanted.initial,
                                     wanted.threads,
                                     anew);
        if (std::exchange(known.key, key) != key) {
            known.failure.clear();
            try {
                known.needs = anew ? run_needs(wanted) : solver_needs(wanted);
            } catch (const std::exception& error) {
                known.failure = error.what();
            }
        }
        if (!known.failure.empty()) return {false, known.failure};
        const MemoryNeeds& needs = known.needs;
        Machine machine = *snapshot.machine;  // whose free memory changes while the window is open
        machine.memory.free_bytes = std::uint64_t(snapshot.memory.host_free);
        machine.gpu_free_bytes = std::uint64_t(snapshot.memory.gpu_free);
        const MemoryLimits limits = memory_limits(machine, wanted.memory_limit);
        require_memory(needs, limits, {size.nx, size.ny});
        const std::string host = format_bytes(needs.host * cells) + " of host memory";
        if (needs.gpu <= 0) return {true, host};
        return {true, fmt::format("{} of GPU memory, {}", format_bytes(needs.gpu * cells), host)};
    } catch (const std::exception& error) {
        return {false, error.what()};
    }
}

void draw_simulation(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    draw_boundary(ui, now);
    draw_sides(ui, snapshot);
    subtitle("Steps", "Exact numbers of steps; for steps per frame see the toolbar");
    draw_steps(ui, snapshot);
    subtitle("Computation", "These change only speed and rounding");
    draw_backend(ui, snapshot);
    draw_method(ui, snapshot);
    draw_precision(ui, now);
    draw_threads(ui, snapshot);
    subtitle("Field", "The run continues with another size");
    draw_size(ui, snapshot);
}

}  // namespace stencil
