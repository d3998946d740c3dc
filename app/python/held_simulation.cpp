#include "app/python/held_simulation.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/python/arrays.h"
#include "sim/field/field_hash.h"
#include "sim/figure/figure.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/settings.h"
#include "sim/problem/start.h"
#include "sim/run/output/checkpoint.h"
#include "sim/run/output/run_report.h"
#include "sim/run/resolve.h"
#include "sim/session/pace.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/view/colormap.h"

namespace stencil::python {
namespace {

namespace fs = std::filesystem;

// Slices are short, so that Ctrl-C is noticed soon.
constexpr SliceLimits kSlice{0.1, 2, 12};

struct NamedField {
    std::string component;  ///< empty: the first component
    Field field;
};

std::vector<NamedField> fields_of(const nb::dict& arrays) {
    std::vector<NamedField> fields;
    for (const auto& [name, array] : arrays) {
        const auto component = nb::cast<std::string>(name);
        fields.push_back(
            {component, field_of(nb::borrow(array), component.empty() ? "initial" : "initial " + component)});
    }
    return fields;
}

bool has_word(const Words& words, std::string_view name) {
    return std::ranges::any_of(words, [&](const auto& word) { return word.first == name; });
}

RunSpec spec_of(const std::string& named, const Words& words) {
    RunSpec spec;
    if (!named.empty()) spec = named_spec(named);
    SettingWords settings;
    for (const auto& [name, value] : words) settings.emplace_back(&find_setting(name), value);
    set_all(spec, settings);
    spec.every = spec.checkpoint = 0;  // write files only when a method asks for it
    return spec;
}

// The given arrays determine the size, and the precision unless a word sets it.
void take_shape(RunSpec& spec, const std::vector<NamedField>& given, const Words& words) {
    const Field& first = given.front().field;
    const Size size{first.nx(), first.ny()};
    for (const NamedField& one : given)
        if (one.field.nx() != size.nx || one.field.ny() != size.ny)
            throw InputError(
                fmt::format("initial: arrays of shapes ({}, {}) and ({}, {}): all must have the same",
                            size.ny,
                            size.nx,
                            one.field.ny(),
                            one.field.nx()));
    if (has_word(words, "size") && *spec.size != size)
        throw InputError(fmt::format("size {}x{}: the array has {} rows and {} columns, which says the size",
                                     spec.size->nx,
                                     spec.size->ny,
                                     size.ny,
                                     size.nx));
    spec.size = size;
    const bool wide =
        std::ranges::any_of(given, [](const NamedField& one) { return one.field.dtype() == DType::float64; });
    if (!has_word(words, "dtype")) spec.dtype = wide ? DType::float64 : DType::float32;
}

// Builds the initial state. The spec then names the files that an export would write for the given arrays,
// with the first one's hash, so that it can repeat the run.
State start_of(RunSpec& spec, std::vector<NamedField> given) {
    const auto& components = spec.model->components;
    State start;
    if (given.size() < components.size())
        start = make_start(spec);
    else
        start.components.resize(components.size());
    for (NamedField& one : given) {
        const std::size_t c = component_index(*spec.model, one.component);
        const std::string file = "initial" + output_suffix(spec, components[c].name) + ".npy";
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

Simulation begin(RunSpec spec, std::vector<NamedField> given, const Words& words) {
    for (const NamedField& one : given) component_index(*spec.model, one.component);
    if (!given.empty()) take_shape(spec, given, words);
    const Machine machine = query_machine();
    spec = resolve(spec, machine);
    spec.require_formula();
    spec.require_arrows();
    RunSpec unwritten = spec;
    unwritten.exports.clear();
    check_resources(unwritten, machine);
    State start = start_of(spec, std::move(given));
    return {spec, std::move(start)};
}

Simulation resumed(const std::string& folder) {
    const Machine machine = query_machine();
    RunCheckpoint checkpoint = read_checkpoint(folder);
    take_over(checkpoint, {}, machine);
    check_resources(checkpoint.run.now, machine);
    return Simulation(std::move(checkpoint.run));
}

}  // namespace

void FairLock::lock() {
    std::unique_lock guard(mutex_);
    const unsigned long long mine = tickets_++;
    next_.wait(guard, [&] { return serving_ == mine; });
}

void FairLock::unlock() {
    {
        const std::scoped_lock guard(mutex_);
        ++serving_;
    }
    next_.notify_all();
}

// Scope in which a thread has released the GIL and holds the simulation's lock. The GIL goes first, because
// the lock's holder may be waiting for it.
class HeldSimulation::Working {
  public:
    explicit Working(HeldSimulation& held) : lock_(lock_of(held)) {}

  private:
    // Check before locking: after a fork nobody would release the lock.
    static FairLock& lock_of(HeldSimulation& held) {
        if (::getpid() != held.process_)
            throw MachineError(
                "this simulation belongs to the process that this one was forked from, and so do "
                "its threads: pickle it, or start processes by 'spawn'");
        return held.lock_;
    }

    nb::gil_scoped_release released_;
    std::scoped_lock<FairLock> lock_;
};

HeldSimulation::HeldSimulation(const std::string& spec, const Words& words, const nb::dict& start)
    : process_(::getpid()) {
    auto given = fields_of(start);
    const nb::gil_scoped_release released;
    simulation_ = std::make_unique<Simulation>(begin(spec_of(spec, words), std::move(given), words));
}

HeldSimulation::HeldSimulation(const std::string& folder) : process_(::getpid()) {
    const nb::gil_scoped_release released;
    simulation_ = std::make_unique<Simulation>(resumed(folder));
}

HeldSimulation::~HeldSimulation() {
    if (::getpid() != process_) static_cast<void>(simulation_.release());
}

long long HeldSimulation::advance_slice(long long left, bool first) {
    const Working working(*this);
    Simulation& simulation = *simulation_;
    long long steps = left;
    if (left > 1) {
        if (first) simulation.expect(left);
        const Timings& timings = simulation.timings();
        const Method& method = *method_of(simulation.now());
        // The mean, because the median of thousands of batches would cost more than a small field's steps.
        const double each =
            timings.total_steps() > 0 ? timings.total_seconds() / double(timings.total_steps()) : 0;
        steps = std::min({left,
                          slice_steps({each, method.steps_at_a_time, method.jumps}, kSlice),
                          simulation.steps_to_next_edit()});
    }
    simulation.apply(Advance{steps});
    return steps;
}

void HeldSimulation::advance(long long steps, const nb::object& progress) {
    if (steps < 0 || steps > kMaxSteps)
        throw InputError(fmt::format("advance: {} steps: must be from 0 to {}", steps, kMaxSteps));
    for (long long done = 0; done < steps;) {
        done += advance_slice(steps - done, done == 0);
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress.is_none()) progress(done, steps);
    }
}

void HeldSimulation::set(const std::string& name, const std::string& value) {
    const Working working(*this);
    simulation_->apply(Set{name, value});
}

void HeldSimulation::reset() {
    const Working working(*this);
    simulation_->apply(Reset{});
}

Observable HeldSimulation::observable(const std::string& formula, Quantity quantity) const {
    return formula.empty() ? simulation_->shown(quantity) : Observable(formula, quantity);
}

nb::object HeldSimulation::field(const std::string& formula, bool laplacian, bool numpy) {
    Field field;
    CudaMemory copy;
    RunSpec now;
    {
        const Working working(*this);
        now = simulation_->now();
        const Observable what = observable(formula, laplacian ? Quantity::laplacian : Quantity::value);
        if (!numpy) copy = simulation_->solver().device_copy(what);
        if (!copy.data()) field = simulation_->solver().field(what);
    }
    if (copy.data()) return to_dlpack(std::move(copy), now.dtype, now.size->nx, now.size->ny);
    return to_numpy(std::move(field));
}

Statistics HeldSimulation::statistics(const std::string& formula) {
    const Working working(*this);
    return simulation_->solver().statistics(observable(formula));
}

RunOutput HeldSimulation::output() {
    RunOutput output = run_output(*simulation_);
    output.timings = to_json(make_report(*simulation_, output.fields, query_machine()));
    return output;
}

std::string HeldSimulation::timings() {
    const Working working(*this);
    return output().timings.dump();
}

std::string HeldSimulation::settings(bool from_start) {
    const Working working(*this);
    return to_json(from_start ? simulation_->spec() : simulation_->now()).dump();
}

void HeldSimulation::write_figure(const std::string& path) {
    const std::string ending = fs::path(path).extension().string();
    ExportWriter* const write = export_writer("figure" + ending);
    if (!write) throw InputError(fmt::format("figure: {}: the name must end in .png, .svg or .pdf", path));
    const Working working(*this);
    const RunOutput all = output();
    write(path, all, all.fields.front());
}

std::vector<std::string> HeldSimulation::write_files(const std::string& folder,
                                                     const std::vector<std::string>& names) {
    const Working working(*this);
    RunOutput all = output();
    all.now.exports.clear();
    for (const std::string& name : names) add_export(name, all.now.exports);
    all.document.exports = all.now.exports;
    check_exports(all.now);
    make_folder(folder, "export");
    MeasuresOf measures;
    add_measures(measures, *simulation_);
    add_tables(all, simulation_->solver(), std::move(measures));
    const WrittenFiles written = stencil::write_exports(folder, all);
    if (!written.failures.empty()) throw FileError(written.failures.front());
    std::vector<std::string> files;
    for (const fs::path& file : written.files) files.push_back(file.string());
    return files;
}

void HeldSimulation::write_checkpoint(const std::string& folder) {
    const Working working(*this);
    make_folder(folder, "save");
    const Descriptor lock = lock_folder(folder, "save");
    RunState state = simulation_->outline();
    state.now.steps = std::max(state.now.steps, simulation_->step());
    auto measures = make_measures(state.now);
    stencil::write_checkpoint(folder, {std::move(state), std::move(measures), {}, &simulation_->solver()});
}

nb::bytes HeldSimulation::picture() {
    std::string bytes;
    {
        const Working working(*this);
        const RunSpec& now = simulation_->now();
        const Colormap& colors = field_colors(now);
        const State state = simulation_->solver().state();
        std::vector<figure::FigurePanel> panels;
        for (std::size_t c = 0; c < state.components.size(); ++c) {
            const Field& field = state.components[c];
            panels.push_back({.title = now.model->components[c].name,
                              .field = &field,
                              .colors = &colors,
                              .range = find_range(field, now.range, colors.diverging)});
        }
        bytes = figure::figure_bytes(
            figure::FigureFormat::png, panels, fmt::format("step {}", simulation_->step()));
    }
    return nb::bytes(bytes.data(), bytes.size());
}

long long HeldSimulation::step() {
    const Working working(*this);
    return simulation_->step();
}

std::vector<std::string> HeldSimulation::components() {
    const Working working(*this);
    return names_of(simulation_->now().model->components);
}

std::map<std::string, double> HeldSimulation::parameters() {
    const Working working(*this);
    const RunSpec& now = simulation_->now();
    std::map<std::string, double> values;
    for (std::size_t i = 0; i < now.parameters.size(); ++i)
        values[now.model->parameters[i].name] = now.parameters[i];
    return values;
}

}  // namespace stencil::python
