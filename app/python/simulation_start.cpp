#include "app/python/simulation_start.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "app/python/arrays.h"
#include "sim/field/field_hash.h"
#include "sim/model/equations.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/output/checkpoint.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/run_report.h"
#include "sim/run/resolve.h"
#include "sim/text/error.h"

namespace stencil::python {
namespace {

bool has_word(const Words& words, std::string_view name) {
    return std::ranges::any_of(words, [&](const auto& word) { return word.first == name; });
}

// The given arrays determine the size, and the precision unless `words` sets it.
void take_shape(RunSpec& spec, const std::vector<NamedField>& given, const Words& words) {
    const Field& first = given.front().field;
    const Size size{first.nx(), first.ny()};
    for (const NamedField& one : given)
        if (one.field.nx() != size.nx || one.field.ny() != size.ny)
            throw InputError("initial: arrays of shapes ({}, {}) and ({}, {}): all must have the same",
                             size.ny,
                             size.nx,
                             one.field.ny(),
                             one.field.nx());
    if (has_word(words, setting_name::size) && *spec.size != size)
        throw InputError("size {}x{}: the array has {} rows and {} columns, which says the size",
                         spec.size->nx,
                         spec.size->ny,
                         size.ny,
                         size.nx);
    spec.size = size;
    spec.dt_log = {};
    const bool wide =
        std::ranges::any_of(given, [](const NamedField& one) { return one.field.dtype() == DType::float64; });
    if (!has_word(words, setting_name::dtype)) spec.dtype = wide ? DType::float64 : DType::float32;
}

// A zero for the imaginary part of each complex component that is given by real numbers.
void add_imaginary_parts(const Model& model, std::vector<NamedField>& given) {
    const std::string& first = model.components.front().name;
    const auto part = [](const std::string& name, const char* end) { return name + end; };
    for (std::size_t i = 0; i < given.size(); ++i) {
        std::string& name = given[i].component;
        const std::string stem = !name.empty()            ? name
                                 : first.ends_with("_re") ? first.substr(0, first.size() - 3)
                                                          : first;
        if (find_component(model, stem) || !find_component(model, part(stem, "_re"))) continue;
        name = part(stem, "_re");
        const auto same = [&](const NamedField& one) {
            return one.component == part(stem, "_im") || one.component == "_im";
        };
        if (std::ranges::any_of(given, same)) continue;
        NamedField none{part(stem, "_im"), given[i].field.clone()};
        none.field.visit([](auto& cells) { std::ranges::fill(cells.cells(), 0); });
        given.push_back(std::move(none));
    }
    for (NamedField& one : given)
        if (one.component == "_im" && first.ends_with("_re"))
            one.component = part(first.substr(0, first.size() - 3), "_im");
        else if (one.component == "_im" ||
                 (one.component.ends_with("_im") && !find_component(model, one.component)))
            throw InputError(
                "initial: complex numbers, and {} is real: x.real is the real part",
                one.component == "_im" ? first : one.component.substr(0, one.component.size() - 3));
}

// Names the component of each array.
void resolve_names(const Model& model, std::vector<NamedField>& given) {
    add_imaginary_parts(model, given);
    for (auto one = given.begin(); one != given.end(); ++one) {
        one->component = model.components[component_index(model, one->component)].name;
        if (std::ranges::find(given.begin(), one, one->component, &NamedField::component) != one)
            throw InputError("initial: {} is given twice", one->component);
    }
}

// Builds the initial state. The spec then names the files that an export would write for the given arrays,
// with the first one's hash, so that it can repeat the run.
State start_of(RunSpec& spec, std::vector<NamedField> given, std::vector<std::string>& files) {
    const auto& components = spec.model->components;
    State start;
    if (given.size() < components.size()) {
        RunSpec others = spec;  // with a number in place of each array
        for (const NamedField& one : given)
            if (const std::size_t c = component_index(*spec.model, one.component); c > 0)
                others.initials[components[c].name] = "0";
            else
                others.initial = "0";
        start = make_start(others);
        spec.initial_hash = others.initial_hash;
    } else {
        start.components.resize(components.size());
    }
    files.resize(components.size());
    for (NamedField& one : given) {
        const std::size_t c = component_index(*spec.model, one.component);
        const std::string file = files[c] = "initial" + output_suffix(spec, components[c].name) + ".npy";
        if (c > 0) {
            spec.initials[components[c].name] = file;
        } else {
            spec.initial = file;
            spec.initial_hash = field_hash(one.field.to(spec.dtype));
        }
        start.components[c] = std::move(one.field);
    }
    return start;
}

}  // namespace

std::vector<NamedField> fields_of(const nb::dict& arrays) {
    std::vector<NamedField> fields;
    for (const auto& [name, array] : arrays) {
        const auto component = nb::cast<std::string>(name);
        fields.push_back(
            {component, field_of(nb::borrow(array), component.empty() ? "initial" : "initial " + component)});
    }
    return fields;
}

void refuse_files_on_the_way(std::string_view setting) {
    for (const std::string_view one : {setting_name::every, setting_name::checkpoint})
        if (setting == one)
            throw InputError("{}: a simulation writes files only when its export() or save() is called", one);
}

RunSpec spec_of(const std::string& named, const Words& words) {
    RunSpec spec;
    if (!named.empty()) spec = named.front() == '{' ? spec_from_json(named, "spec") : named_spec(named);
    SettingWords settings;
    for (const auto& [name, value] : words) {
        settings.emplace_back(&find_setting(name), value);
        refuse_files_on_the_way(settings.back().first->name);
    }
    set_all(spec, settings);
    spec.every = spec.checkpoint = Interval();  // ignore the intervals of a spec.json
    return spec;
}

Simulation begin(RunSpec spec, std::vector<NamedField> given, const Words& words, Beginning& beginning) {
    resolve_names(*spec.model, given);
    if (!given.empty()) take_shape(spec, given, words);
    const Machine machine = query_machine();
    const bool chooses = spec.method == "auto", arrays = !given.empty();
    spec = resolve(spec, machine);
    if (chooses) {
        beginning.method = spec.method;
        beginning.choice = method_choice(spec);
    }
    spec.require_formula(spec.show);
    spec.require_arrows();
    make_measures(spec);  // throws for probes outside of the field
    RunSpec unwritten = spec;
    unwritten.exports.clear();
    check_resources(unwritten, machine);
    State start = start_of(spec, std::move(given), beginning.files);
    Simulation simulation(spec, std::move(start));
    if (arrays) beginning.start = simulation.start();
    return simulation;
}

Simulation resumed(const std::string& folder) {
    const Machine machine = query_machine();
    RunCheckpoint checkpoint = read_checkpoint(folder);
    take_over(checkpoint, {}, machine);
    check_resources(checkpoint.run.now, machine);
    return Simulation(std::move(checkpoint.run));
}

}  // namespace stencil::python
