#include "app/commands/code_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/console.h"
#include "sim/bench/ladder.h"
#include "sim/code/code_report.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/run/start.h"
#include "sim/session/pace.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// The first batch of steps is a warm-up.
constexpr int kBatches = 6;
constexpr SliceLimits kBatch{0.05, 0.25, 16};

// Measured speed and limits of a model on this machine.
struct Measured {
    LadderLimits limits;
    SteppingWay way;
    double gcells_per_s = 0;
};

Measured measure(const RunSpec& asked, const Machine& machine) {
    RunSpec spec = resolve(asked, machine);
    check_resources(spec, machine);
    State start = make_start(spec);
    Simulation simulation(spec, std::move(start));
    simulation.solver().wait_for_fastest();
    const Method& method = *method_of(simulation.now());
    for (int i = 0; i < kBatches; ++i)
        simulation.apply(Advance{slice_steps(step_cost(method, simulation.timings()), kBatch)});
    Measured measured;
    measured.way = simulation.solver().way();
    const double cells = double(spec.size->nx) * spec.size->ny;
    measured.gcells_per_s = speed_of(simulation.timings().spread().median, 1, cells, spec.dtype).gcells_per_s;
    measured.limits = {measure_copy_bandwidth(method.device, spec.threads),
                       measure_issue_rate(method.device, spec.dtype, spec.threads),
                       double(spec.model->components.size()),
                       measured.way.operations};
    return measured;
}

void print_work(const RunSpec& spec, const GeneratedCode& code, Device device) {
    print("{}, {}, {}, {}\n", spec.model->name, spec.integrator(), name_of(spec.dtype), name_of(device));
    print("A cell and step: {} operations, {} bytes of components read and written\n",
          code.operations,
          code.bytes);
    print("Operations are {}\n", kOperationsCounted);
}

void print_measured(const Measured& m, DType dtype) {
    print(
        "A copy of {:.4g} GB/s allows {:.4g} GCells/s at one step a pass; {:.3g}e12 instructions/s allow "
        "{:.4g}\n",
        m.limits.copy_gb_per_s,
        m.limits.copy_gcells(dtype),
        m.limits.instructions_per_second / 1e12,
        m.limits.issue_gcells());
    print("Steps: {}: {:.4g} GCells/s, {:.0f}% of the copy limit, {:.0f}% of the arithmetic limit\n",
          m.way.name,
          m.gcells_per_s,
          100 * m.gcells_per_s / m.limits.copy_gcells(dtype),
          100 * m.gcells_per_s / m.limits.issue_gcells());
    for (const std::string& line : {m.way.origin, m.way.why_not})
        if (!line.empty()) print("{}\n", line);
}

// Without a GPU, register counts come from the compiler (ptxas).
void print_kernels(const GeneratedCode& code, const SteppingWay& way) {
    const bool asked = way.tried.empty();
    std::size_t next = 0;
    for (CodeRow row : code_rows(code, way)) {
        const auto figures = asked ? compiler_figures(code.texts[next++]) : std::nullopt;
        if (figures) {
            row.registers = figures->registers;
            row.spilled_bytes = figures->spilled_bytes;
        }
        print("Kernel: {}: {}{}{}\n",
              row.name,
              figures_text(row),
              figures ? " (compute capability 9.0)" : "",
              row.used ? "; in use" : "");
    }
    if (!code.why_single.empty()) print("One step at a time: {}\n", code.why_single);
}

void print_text_of(const std::string& name, const std::string& text) {
    print("\n==== {} ({} lines)\n\n", name, std::ranges::count(text, '\n'));
    print_text(text);
}

}  // namespace

int code_command(RunSpec spec) {
    if (!spec.is_general())
        throw InputError(fmt::format(
            "--code: {} is stepped by kernels that were written by hand, in kernels/methods: give --equation "
            "or a preset",
            spec.model->name));
    const Machine machine = query_machine();
    const bool gpu = machine.has_cuda() && why_not_compiled(spec).empty();
    if (spec.backend == "auto") spec.backend = name_of(gpu ? Device::cuda : Device::cpu);
    const Device device = spec.backend == "cuda" ? Device::cuda : Device::cpu;
    const GeneratedCode code = generated_code(spec, device);
    print_work(spec, code, device);
    Measured measured;
    if (device == Device::cpu || gpu) {
        measured = measure(spec, machine);
        print_measured(measured, spec.dtype);
    } else {
        print("Limits and speeds: not measured: {}\n",
              machine.has_cuda() ? why_not_compiled(spec) : machine.cuda.why_none);
    }
    print_kernels(code, measured.way);
    print_text_of("stages", code.stages);
    for (const CodeText& text : code.texts)
        print_text_of(text.language.empty() ? text.name : text.name + ", " + text.language, text.text);
    return 0;
}

}  // namespace stencil
