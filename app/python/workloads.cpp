#include "app/python/workloads.h"

#include "sim/bench/ladder.h"
#include "sim/bench/ladder_report.h"
#include "sim/examples/context.h"
#include "sim/examples/report/report_text.h"
#include "sim/files/folder.h"
#include "sim/model/equations.h"
#include "sim/model/presets.h"
#include "sim/run/settings.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil::python {
namespace {

using Json = nlohmann::ordered_json;

// Polls for Ctrl-C from a thread that has released the GIL.
bool interrupted() {
    const nb::gil_scoped_acquire acquired;
    return PyErr_CheckSignals() != 0;
}

Json numbers_of(const std::vector<ModelParameter>& parameters) {
    Json values = Json::object();
    for (const ModelParameter& row : parameters) values[row.name] = row.value;
    return values;
}

void set_word(LadderSpec& spec, SettingWords& of_run, const std::string& name, const std::string& value) {
    if (name == "size")
        add_sizes(spec, value);
    else if (name == "method")
        add_methods(spec, value);
    else if (name == "steps")
        spec.steps = parse_integer(value, "--steps", 1, kMaxSteps);
    else if (name == "repeats")
        spec.repeats = int(parse_integer(value, "--repeats", kMinRepeats, 1000));
    else if (name == "sweep")
        spec.sweep = parse_flag(value, "--sweep");
    else
        of_run.emplace_back(&find_setting(name), value);
}

}  // namespace

std::string bench(const Words& words) {
    std::string report;
    bool ended = false;
    {
        const nb::gil_scoped_release released;
        LadderSpec spec;
        SettingWords of_run;
        for (const auto& [name, value] : words) set_word(spec, of_run, name, value);
        set_all(spec.run, of_run);
        const Machine machine = query_machine();
        Ladder ladder(resolve(spec, machine), machine);
        while (!ladder.done() && !ended) {
            ladder.work();
            ended = interrupted();
        }
        report = to_json(make_report(ladder, machine)).dump();
    }
    if (ended) throw nb::python_error();
    return report;
}

std::string example(const std::string& name, const Words& words) {
    std::string text;
    bool ended = false;
    {
        const nb::gil_scoped_release released;
        ExampleRequest request = request_for(find_example(name));
        for (const auto& [option, value] : words) {
            if (option == "out")
                request.out = value;
            else
                request.options.set(option, value);
        }
        const Machine machine = query_machine();
        require_backend(request.backend(), machine);
        if (!request.out.empty()) make_folder(request.out, "out");
        ExampleWatch watch;
        watch.cancelled = [&] { return ended = ended || interrupted(); };
        const Report report = run_example(request, machine, watch);
        if (!request.out.empty()) write_report(report, request.out);
        text = to_json(report).dump();
    }
    if (ended) throw nb::python_error();
    return text;
}

std::string models() {
    Json all = Json::array();
    const auto add =
        [&](auto name, auto title, const auto& components, const auto& parameters, auto source, auto text) {
            all.push_back({{"name", name},
                           {"title", title},
                           {"components", names_of(components)},
                           {"parameters", numbers_of(parameters)},
                           {"source", source},
                           {"text", text}});
        };
    for (const auto& model : stencil::models())
        add(model->name, model->help, model->components, model->parameters, "", model->text);
    for (const Preset& preset : presets()) {
        const equation::Equations e = equation::read_equations(preset.text);
        add(preset.name, e.title, e.components, e.parameters, e.source, preset.text);
    }
    return all.dump();
}

std::string setting_table() {
    Json rows = Json::array();
    for (const Setting& row : settings())
        rows.push_back(
            {{"name", row.name}, {"value", row.value}, {"help", row.help}, {"many", row.add != nullptr}});
    return rows.dump();
}

}  // namespace stencil::python
