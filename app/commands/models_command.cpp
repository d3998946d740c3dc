#include "app/commands/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "app/cli.h"
#include "app/console.h"
#include "sim/bench/suite.h"
#include "sim/code/generated_code.h"
#include "sim/import/model_file.h"
#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/model/semantics.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/run_text.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/advance.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

void list(std::string_view name,
          std::string_view title,
          const std::vector<std::string>& components,
          const std::vector<ModelParameter>& parameters,
          std::string_view source) {
    stencil::print("{:<25} {} ({}{}{})\n",
                   name,
                   title,
                   fmt::join(components, ", "),
                   parameters.empty() ? "" : "; ",
                   fmt::join(names_of(parameters), ", "));
    if (!source.empty()) stencil::print("{:<25} {}\n", "", source);
}

// The first batch of steps is a warm-up.
constexpr int kBatches = 6;
constexpr SliceLimits kBatch{0.05, 0.25, 16};

// Measured speed and limits of a model on this machine.
struct Measured {
    SuiteLimits limits;
    ExecutionPath way;
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
    print(
        "{}, {}, {}, {}\n", spec.model->name, name_of(spec.integrator), name_of(spec.dtype), name_of(device));
    print("Per cell and step: {} operations, {} bytes of components read and written\n",
          code.operations,
          code.bytes);
    print("Operations are {}\n", kOperationsCounted);
    if (!spec.model->equations->has_global_values()) return;
    print("Values of the whole field are taken by {}\n",
          spec.global_every > 1
              ? fmt::format("every step whose number {} divides, and lag in those between", spec.global_every)
              : "each step; --global-every N lets them lag");
}

void print_measured(const Measured& m, DType dtype) {
    print("A copy of {:.4g} GB/s allows {:.4g} GCells/s at one step per pass; {} allow {:.4g} GCells/s\n",
          m.limits.copy_gb_per_s,
          m.limits.copy_gcells(dtype),
          m.limits.instruction_rate(),
          m.limits.issue_gcells());
    print("Steps: {}: {:.4g} GCells/s, {:.0f}% of the copy limit, {:.0f}% of the arithmetic limit\n",
          m.way.name,
          m.gcells_per_s,
          100 * m.gcells_per_s / m.limits.copy_gcells(dtype),
          100 * m.gcells_per_s / m.limits.issue_gcells());
    if (!m.way.origin.empty()) print("{}\n", m.way.origin);
    if (!m.way.why_not.empty()) print("Not faster: {}\n", m.way.why_not);
}

// Without a GPU, register counts come from the compiler (ptxas).
void print_kernels(const GeneratedCode& code, const ExecutionPath& way) {
    const bool asked = way.tried.empty();
    const int capability = gpu_facts().capability;
    std::size_t next = 0;
    for (CodeRow row : code_rows(code, way)) {
        const auto figures = asked ? compiler_figures(code.texts[next++], capability) : std::nullopt;
        if (figures) {
            row.registers = figures->registers;
            row.spilled_bytes = figures->spilled_bytes;
            row.occupancy = figures->occupancy;
        }
        print("Kernel: {}: {}{}{}\n",
              row.name,
              figures_text(row),
              figures ? fmt::format(" (compute capability {})", capability_name(capability)) : "",
              row.used ? "; in use" : "");
    }
    if (!code.why_single.empty() && code.why_single != way.why_not)
        print("One step at a time: {}\n", code.why_single);
}

void print_text_of(const std::string& name, const std::string& text) {
    print("\n==== {} ({} lines)\n\n", name, std::ranges::count(text, '\n'));
    print_text(text);
}

// Prints stages, operations, limits, and the generated kernels with their text. CUDA code is printed without
// a GPU too.
int code_command(RunSpec spec) {
    if (!spec.is_general())
        throw InputError(
            "--code: {} is stepped by kernels that were written by hand, in kernels/methods: give --equation "
            "or a preset",
            spec.model->name);
    spec.validate();
    const Machine machine = query_machine();
    const bool gpu = machine.has_cuda() && why_not_compiled(spec).empty();
    const bool fast = spec.method == setting_name::fast;  // which only GPUs have
    if (spec.backend == "auto") spec.backend = name_of(gpu || fast ? Device::cuda : Device::cpu);
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

// Returns the text of a preset, of a model file of another program or, given a ready run or a spec.json, of
// that run with its settings.
std::string text_named(const std::string& name) {
    if (const Preset* preset = find_preset(name)) return std::string(preset->text);
    if (is_model_file(name)) {
        const ModelText from = model_text(name);
        for (const std::string& told : from.notes) note("note: {}\n", told);
        return from.text;
    }
    if (find_ready_run(name) || name.ends_with(".json")) return text_of_run(named_spec(name));
    throw InputError(unknown_name_message("model", name, names_of(presets())));
}

// Prints the text of a model, or a link that contains it.
int show_model(const std::string& name, bool as_link) {
    const std::string text = text_named(name);
    if (as_link)
        print("{}\n", link_of_text(text));
    else
        print("{}{}", text, text.ends_with('\n') ? "" : "\n");
    return 0;
}

int list_models() {
    for (const Preset& preset : presets()) {
        const equation::Equations e = equation::read_equations(preset.text);
        list(preset.name, e.title, names_of(e.components), e.parameters, e.source);
    }
    return 0;
}

std::string list_functions() {
    std::string text = "Functions of formulas:\n";
    for (const equation::Function& row : equation::functions())
        text += fmt::format("  {:<14} {}\n", row.name, row.help);
    return text +
           "  d(u)/d(F)      how u changes with the parameter F, where the text has `sensitivity = F`\n";
}

struct ModelsWords {
    std::string name;
    bool code = false;
    bool text = false;
    bool link = false;
    SettingWords settings;  ///< for --code
};

int start_models(const ModelsWords& words) {
    if (words.text && (words.code || words.name.empty()))
        throw InputError("--text shows the text of a NAME: leave out --code, or give the name");
    if (words.link && (words.code || words.name.empty()))
        throw InputError("--link carries the text of a NAME: leave out --code, or give the name");
    if (!words.code) {
        if (words.settings.empty())
            return words.name.empty() ? list_models() : show_model(words.name, words.link);
        throw InputError("--{} needs --code, which prints the code that steps a model",
                         words.settings.front().first->name);
    }
    RunSpec spec;
    SettingWords settings = words.settings;
    if (!words.name.empty()) settings.emplace_back(&find_setting(setting_name::model), words.name);
    set_all(spec, settings);
    return code_command(std::move(spec));
}

}  // namespace

void add_models(CLI::App& app, ChosenCommand& chosen) {
    const auto all = std::make_shared<ModelsWords>();
    ModelsWords& words = *all;
    CLI::App* models =
        app.add_subcommand("models", "List the models, or show the text of one, or the code that steps it");
    models->add_option(
        "NAME",
        words.name,
        "a model, a run (a spec.json or the name of a ready one), or a file or link of another program");
    models->add_flag("--text", words.text, "print the text of NAME (the default)");
    models->add_flag("--link", words.link, "print a link that carries the text, which --model takes");
    models->add_flag(
        "--code",
        words.code,
        "for typed equations: the stages of a step, operations per cell, limits and speeds, and the "
        "generated code; also for a file and for --equation");
    for (const char* name : {setting_name::equation,
                             setting_name::set,
                             setting_name::sensitivity,
                             setting_name::dt,
                             setting_name::dx,
                             setting_name::integrator,
                             setting_name::global_every,
                             setting_name::boundary,
                             setting_name::size,
                             setting_name::dtype,
                             setting_name::fast,
                             setting_name::backend,
                             setting_name::threads})
        add_setting(*models, name, "with --code: " + std::string(find_setting(name).help), words.settings);
    models->footer(list_functions());
    models->final_callback([all, &chosen] { chosen = [all] { return start_models(*all); }; });
}

}  // namespace stencil
