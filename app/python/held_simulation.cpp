#include "app/python/held_simulation.h"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "app/python/arrays.h"
#include "app/python/simulation_start.h"
#include "sim/figure/figure.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/files/held_arrays.h"
#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "sim/problem/panes.h"
#include "sim/problem/start.h"
#include "sim/problem/units.h"
#include "sim/run/advance.h"
#include "sim/run/finite_watch.h"
#include "sim/run/limit_watch.h"
#include "sim/run/output/checkpoint.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/run_report.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/run/stop_condition.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/view/colormap.h"

namespace stencil::python {
namespace {

namespace fs = std::filesystem;
using namespace nb::literals;

// A first-come, first-served lock: a long run unlocks after each slice, so other threads get their turn.
class FairLock {
  public:
    void lock() {
        std::unique_lock guard(mutex_);
        const unsigned long long mine = tickets_++;
        next_.wait(guard, [&] { return serving_ == mine; });
    }
    void unlock() {
        {
            const std::scoped_lock guard(mutex_);
            ++serving_;
        }
        next_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable next_;
    unsigned long long tickets_ = 0, serving_ = 0;
};

class HeldSimulation {
  public:
    // `spec` names a ready run or a file, or is empty. `start` maps component names ("" is the first) to
    // arrays of shape (ny, nx), which determine the size, and the precision unless `words` sets it.
    HeldSimulation(const std::string& spec, const Words& words, const nb::dict& start) {
        auto given = fields_of(start);
        const nb::gil_scoped_release released;
        simulation_ =
            std::make_unique<Simulation>(begin(spec_of(spec, words), std::move(given), words, beginning));
        limit.begin(*simulation_);
    }
    // Resumes from the checkpoint in a folder.
    explicit HeldSimulation(const std::string& folder) {
        const nb::gil_scoped_release released;
        simulation_ = std::make_unique<Simulation>(resumed(folder));
    }
    // In a forked child the simulation's threads do not exist, so it is leaked instead of destroyed.
    ~HeldSimulation() {
        if (::getpid() != process_) static_cast<void>(simulation_.release());
    }
    HeldSimulation(const HeldSimulation&) = delete;
    HeldSimulation& operator=(const HeldSimulation&) = delete;

    // Calls act(simulation, arguments...) with the GIL released and the lock held. The GIL goes first,
    // because the lock's holder may be waiting for it; after a fork nobody would release the lock.
    template <class Act, class... Args>
    auto with(const Act& act, const Args&... arguments) {
        const nb::gil_scoped_release released;
        if (::getpid() != process_)
            throw MachineError(
                "this simulation belongs to the process that this one was forked from, and so do "
                "its threads: pickle it, or start processes by 'spawn'");
        const std::scoped_lock lock(lock_);
        return act(*simulation_, arguments...);
    }

    // Use these with the lock held.
    Beginning beginning;
    FiniteWatch watch;
    long long looked = 0;  ///< step of the last look for values that are not finite, if those are allowed
    bool warned = false;   ///< of them
    LimitWatch limit;

  private:
    FairLock lock_;
    std::unique_ptr<Simulation> simulation_;
    pid_t process_ = ::getpid();
};

// --- Methods; an empty formula means the one that is shown

// Uses the mean cost, because the median of thousands of batches would take longer than a small field's
// steps.
long long python_slice(const Simulation& simulation) {
    const Timings& timings = simulation.timings();
    const Method& method = *method_of(simulation.now());
    const double each =
        timings.total_steps() > 0 ? timings.total_seconds() / double(timings.total_steps()) : 0;
    return slice_steps({each, method.steps_at_a_time, method.jumps}, kLongSlices);
}

void require_finite(const FiniteWatch& watch) {
    if (watch.found()) throw NotFiniteError(watch.found()->text() + "; allow_overflow=True goes on");
}

void warn(const std::string& text) {
    if (!text.empty() && PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 2) != 0) throw nb::python_error();
}

// Warns once, of a run that is allowed to go on with values that are not finite. A look costs as much as some
// steps.
void warn_of_not_finite(HeldSimulation& held) {
    constexpr long long kBetweenLooks = 100;  // steps
    std::string told;
    held.with([&](Simulation& simulation) {
        const bool due = std::abs(simulation.step() - held.looked) >= kBetweenLooks;
        if (held.warned || !due || !simulation.now().allow_overflow) return;
        held.looked = simulation.step();
        for (const Component& component : simulation.now().model->components)
            if (simulation.solver().statistics(component.name).not_finite > 0 && told.empty())
                told =
                    fmt::format("{} is not finite (NaN or infinite) at step {}", component.name, held.looked);
        held.warned = !told.empty();
    });
    warn(told);
}

// Advances slice by slice. Between slices Python handles signals, and `progress`, unless None, is called with
// the steps done and the total. An exception from either stops the run at that step.
void advance(HeldSimulation& held, long long steps, const nb::object& progress) {
    if (steps < 0 || steps > kMaxSteps)
        throw InputError("advance: {} steps: must be from 0 to {}", steps, kMaxSteps);
    for (long long done = 0; done < steps;) {
        std::string told;
        done += held.with([&](Simulation& simulation) {
            const long long left = steps - done, begin = simulation.step();
            FiniteWatch& watch = held.watch;
            const bool watches = !simulation.now().allow_overflow;
            if (done == 0 && watches) watch.begin(simulation);
            if (done == 0 && left > 1) simulation.expect(left);
            // A single step needs no measured cost.
            const long long most = left > 1 ? python_slice(simulation) : 1;
            if (!watch.found()) advance_slice(simulation, {begin + left}, {}, most);
            // A check for finite values costs as much as some steps, so calls of few steps check only now and
            // then.
            constexpr long long kManySteps = 100;
            const bool at_end = steps >= kManySteps && simulation.step() - begin == left;
            if (watches && !watch.found()) watch.look(simulation, at_end);
            require_finite(watch);
            told = held.limit.look(simulation, at_end && steps >= 10 * kManySteps);
            return simulation.step() - begin;
        });
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        warn(told);
        if (!progress.is_none()) progress(done, steps);
    }
    warn_of_not_finite(held);
}

// Advances until the first of: `steps` more steps, a time, a condition. `look`, unless None, is called at
// each multiple of `every` with the lock released, so that it may use the simulation; it ends the run by
// returning True. Returns what ended the run, in the words of RunReport.
std::string run(HeldSimulation& held,
                long long steps,
                std::optional<double> time,
                const std::string& condition,
                const std::string& every,
                const nb::object& look) {
    if (steps < 0 || steps > kMaxSteps)
        throw InputError("run: {} steps: must be from 0 to {}", steps, kMaxSteps);
    StopCondition stop(condition.empty() ? "" : checked_condition(condition, "until"));
    Until until;
    bool is_due = false;
    std::vector<Observer> observers{stop.observer()};
    if (!every.empty())
        observers.push_back(
            at_multiples(read_interval(every, "every", true), [&](Simulation&) { is_due = true; }));
    held.with([&](Simulation& simulation) {
        require_condition(*simulation.now().model, condition);
        until.step = std::min(simulation.step() + steps, kMaxSteps);
        if (time) until.time = end_time(simulation, *time);
        if (!simulation.now().allow_overflow) {
            until.watch = &held.watch;
            until.watch->begin(simulation);
            require_finite(*until.watch);
        }
        simulation.expect(until.step - simulation.step());
        stop.begin(simulation);
    });
    std::string ended, told;
    while (true) {
        held.with([&](Simulation& simulation) {
            const auto reached = [&] {
                const RunClock now = clock_of(simulation);
                ended = stop.met()                            ? "until"
                        : is_at(now.time, until.time, now.dt) ? "time"
                        : now.step >= until.step              ? "steps"
                                                              : "";
                return !ended.empty();
            };
            if (!reached()) {
                advance_slice(simulation, until, observers, python_slice(simulation));
                if (until.watch) require_finite(*until.watch);
                reached();
                told = held.limit.look(simulation, !ended.empty());
            }
        });
        warn(std::exchange(told, {}));
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (is_due || !ended.empty()) warn_of_not_finite(held);
        if (std::exchange(is_due, false) && !look.is_none() && look().is(nb::bool_(true))) return "look";
        if (!ended.empty()) return ended;
    }
}

Observable observable(const Simulation& simulation,
                      const std::string& formula,
                      Quantity quantity = Quantity::value) {
    return formula.empty() ? simulation.shown(quantity) : Observable(formula, quantity);
}

// Copies a component or a formula. With CUDA the result stays on the device unless `numpy`.
nb::object field(HeldSimulation& held, const std::string& formula, bool laplacian, bool numpy) {
    Field field;
    CudaMemory copy;
    RunSpec now;
    held.with([&](Simulation& simulation) {
        now = simulation.now();
        const Observable what =
            observable(simulation, formula, laplacian ? Quantity::laplacian : Quantity::value);
        if (!numpy) copy = simulation.solver().device_copy(what);
        if (!copy.data()) field = simulation.solver().field(what);
    });
    if (copy.data()) return to_dlpack(std::move(copy), now.dtype, now.size->nx, now.size->ny);
    return to_numpy(std::move(field));
}

nb::dict statistics(HeldSimulation& held, const std::string& formula) {
    const Statistics s = held.with([&](Simulation& simulation) {
        return simulation.solver().statistics(observable(simulation, formula));
    });
    nb::dict result;
    result["min"] = s.min;
    result["max"] = s.max;
    result["mean"] = s.mean;
    result["total"] = s.total;
    result["not_finite"] = s.not_finite;
    return result;
}

RunOutput output_of(Simulation& simulation, const Beginning& beginning) {
    RunOutput output = run_output(simulation);
    RunReport report = make_report(simulation, output.fields, query_machine());
    if (simulation.now().method == beginning.method) report.method_choice = beginning.choice;
    report.spec.steps = report.steps;  // all that were asked for so far
    report.ended_by = "steps";
    output.timings = to_json(report);
    return output;
}

// Returns timings.json.
std::string timings(HeldSimulation& held) {
    return held.with(
        [&](Simulation& simulation) { return output_of(simulation, held.beginning).timings.dump(); });
}

// Gives a component new values: an array of the field's shape.
void set_array(HeldSimulation& held, const std::string& component, const nb::object& array) {
    Field field = field_of(array, component);
    held.with([&](Simulation& simulation) {
        const Size size = *simulation.now().size;
        if (field.nx() != size.nx || field.ny() != size.ny)
            throw InputError("{}: an array of shape ({}, {}): the field has ({}, {})",
                             component,
                             field.ny(),
                             field.nx(),
                             size.ny,
                             size.nx);
        const auto held_array = hold_array(std::move(field));
        simulation.apply(SetField{held_array.first, component});
    });
}

// Keeps an array for texts that name it; returns the name, and what holds the array.
nb::tuple hold(const nb::object& array, const std::string& name) {
    auto held = hold_array(field_of(array, name));
    using Holder = std::shared_ptr<const Field>;
    const nb::capsule holder(new Holder(std::move(held.second)),
                             [](void* p) noexcept { delete static_cast<Holder*>(p); });
    return nb::make_tuple(held.first, holder);
}

// The places of cells and the time step, in the units of length and time.
nb::dict grid(HeldSimulation& held) {
    RunSpec now;
    double dt = 0;
    held.with([&](Simulation& simulation) {
        now = simulation.now();
        dt = simulation.next_dt();
    });
    const auto corner = corner_of(now);
    nb::dict result;
    result["dx"] = cell_size(now);
    result["x0"] = corner[0];
    result["y0"] = corner[1];
    result["dt"] = dt * now.unit_time.size;
    result["length"] = now.unit_length.name;
    result["time"] = now.unit_time.name;
    return result;
}

void reset(HeldSimulation& held) {
    held.with([&](Simulation& simulation) {
        simulation.apply(Reset{});
        if (held.beginning.start) held.beginning.start = simulation.start();
    });
}

// Returns spec.json: with `from_start` the spec that repeats the run, otherwise the present settings.
std::string settings(Simulation& simulation, bool from_start) {
    return to_json(from_start ? simulation.spec() : simulation.now()).dump();
}

void write_figure(HeldSimulation& held, const std::string& path) {
    const std::string ending = fs::path(path).extension().string();
    const Artifact* const figure = find_artifact("figure" + ending);
    if (!figure) throw InputError("figure: {}: the name must end in .png, .svg or .pdf", path);
    held.with([&](Simulation& simulation) {
        const RunOutput all = output_of(simulation, held.beginning);
        const fs::path target = link_target(path);  // a file that the user named
        figure->write({target, all, all.fields.front(), figure->format});
    });
}

// Writes the given arrays under the names in the spec. An export may have written them under other names or,
// after a change of size or precision, with other values.
void write_given(const Beginning& beginning,
                 const Simulation& simulation,
                 const fs::path& folder,
                 std::vector<fs::path>& written) {
    for (std::size_t c = 0; c < beginning.files.size(); ++c) {
        if (beginning.files[c].empty() || !beginning.start) continue;
        const fs::path file = folder / beginning.files[c];
        const bool is_new = !contains(written, file);
        if (is_new || beginning.start != simulation.start()) write_npy(file, *beginning.start->field(c));
        if (is_new) written.push_back(file);
    }
}

// Writes exports and returns their file names.
std::vector<std::string> write_exports_of(Simulation& simulation,
                                          const Beginning& beginning,
                                          const std::string& folder,
                                          const std::vector<std::string>& names) {
    RunOutput all = output_of(simulation, beginning);
    all.now.exports.clear();
    for (const std::string& name : names) add_export(name, all.now.exports);
    all.document.exports = all.now.exports;
    check_exports(all.now);
    make_folder(folder, "export");
    MeasuresOf measures;
    add_measures(measures, simulation);
    add_tables(all, simulation.solver(), std::move(measures));
    WrittenFiles written = stencil::write_exports(folder, all);
    if (!written.failures.empty()) throw FileError(written.failures.front());
    if (exports_any(all.now, kStart)) write_given(beginning, simulation, folder, written.files);
    return {written.files.begin(), written.files.end()};
}

std::vector<std::string> write_files(HeldSimulation& held,
                                     const std::string& folder,
                                     const std::vector<std::string>& names) {
    return held.with(
        [&](Simulation& simulation) { return write_exports_of(simulation, held.beginning, folder, names); });
}

void write_checkpoint(Simulation& simulation, const std::string& folder) {
    make_folder(folder, "save");
    const Descriptor lock = lock_folder(folder, "save");
    RunState state = simulation.outline();
    state.now.steps = std::max(state.now.steps, simulation.step());
    RunSpec anywhere = state.now;
    anywhere.size = Size{kMaxCells, kMaxCells};  // a field that has shrunk may have left a probe outside
    auto measures = make_measures(anywhere);
    stencil::write_checkpoint(folder, {std::move(state), std::move(measures), {}, &simulation.solver()});
}

// Returns a PNG with one panel per component.
std::string picture(Simulation& simulation) {
    const RunSpec& now = simulation.now();
    const State state = simulation.solver().state();
    std::vector<figure::FigurePanel> panels;
    for (std::size_t c = 0; c < state.components.size(); ++c) {
        const Field& field = state.components[c];
        const std::string& name = now.model->components[c].name;
        const Colormap& colors = field_colors(now, name);
        panels.push_back({.title = value_label(now, name),
                          .field = &field,
                          .colors = &colors,
                          .range = find_range(field, now.coloring(name).range, colors.diverging)});
    }
    return figure::figure_bytes(figure::FigureFormat::png, panels, fmt::format("step {}", simulation.step()));
}

// Draws a formula in the run's colours as a PNG with at most `largest` pixels a side (0: no limit), and
// returns what a figure of it needs: the range and scale of the colours, the 256 colours, and a cell's edge.
nb::dict image(HeldSimulation& held, const std::string& formula, int largest) {
    std::string png;
    ValueRange range;
    const Colormap* colors = nullptr;
    double cell = 1;
    std::string unit, label;
    held.with([&](Simulation& simulation) {
        const RunSpec& now = simulation.now();
        const std::string shown = formula.empty() ? now.shown() : formula;
        Field field = simulation.solver().field(shown);
        colors = &field_colors(now, shown);
        range = find_range(field, now.coloring(shown).range, colors->diverging);
        cell = cell_size(now);
        unit = now.unit_length.name;
        label = value_label(now, shown);
        if (largest <= 0) return;
        const int side = std::max(field.nx(), field.ny());
        if (side > largest) {
            const auto pixels = [&](int n) { return std::max(1, int(std::int64_t(n) * largest / side)); };
            field = field.visit([&](const auto& cells) {
                return Field(resample(cells, pixels(field.nx()), pixels(field.ny())));
            });
        }
        std::vector<Rgb> pixels(field.size());
        paint(field, *colors, range, pixels);
        png = png_text(field.nx(), field.ny(), pixels);
    });
    nb::dict result;
    result["png"] = nb::bytes(png.data(), png.size());
    result["low"] = range.low;
    result["high"] = range.high;
    result["scale"] = std::string(kScaleNames[std::size_t(range.scale)]);
    result["colors"] = nb::bytes(reinterpret_cast<const char*>(colors->colors.data()), sizeof colors->colors);
    result["cell"] = cell;
    result["unit"] = unit;
    result["label"] = label;
    return result;
}

std::map<std::string, double> parameters(Simulation& simulation) {
    const RunSpec& now = simulation.now();
    std::map<std::string, double> values;
    for (std::size_t i = 0; i < now.parameters.size(); ++i)
        values[now.model->parameters[i].name] = now.parameters[i];
    return values;
}

// Wraps a function of the simulation as a Python method that runs it with the GIL released and the lock held.
template <class Result, class... Args>
auto held(Result (*act)(Simulation&, Args...)) {
    return [act](HeldSimulation& held, const std::remove_cvref_t<Args>&... arguments) {
        return held.with(act, arguments...);
    };
}

}  // namespace

void add_simulation(nb::module_& module) {
    module.def("hold_array", hold, "array"_a, "name"_a);
    nb::class_<HeldSimulation>(module, "HeldSimulation")
        .def(nb::init<const std::string&, const Words&, const nb::dict&>(), "spec"_a, "words"_a, "start"_a)
        .def(nb::init<const std::string&>(), "folder"_a)
        .def("advance", advance, "steps"_a, "progress"_a.none())
        .def("run", run, "steps"_a, "time"_a.none(), "until"_a, "every"_a, "look"_a.none())
        .def("set",
             held(+[](Simulation& s, const std::string& name, const std::string& value) {
                 refuse_files_on_the_way(name);
                 s.apply(Set{name, value});
             }),
             "name"_a,
             "value"_a)
        .def("reset", reset)
        .def("set_field",
             held(+[](Simulation& s, const std::string& component, const std::string& what) {
                 s.apply(SetField{what, component});
             }),
             "component"_a,
             "what"_a)
        .def("set_array", set_array, "component"_a, "array"_a)
        .def("reads",
             held(+[](Simulation& s, const std::string& formula) { return s.now().model->reads(formula); }),
             "formula"_a)
        .def("shape", held(+[](Simulation& s) { return std::pair(s.now().size->ny, s.now().size->nx); }))
        .def("grid", grid)
        .def(
            "start",
            [](HeldSimulation& all, std::size_t component) {
                return to_numpy(
                    all.with([&](Simulation& s) { return s.start()->field(component)->clone(); }));
            },
            "component"_a)
        .def("field", field, "formula"_a, "laplacian"_a, "numpy"_a)
        .def("statistics", statistics, "formula"_a)
        .def("timings", timings)
        .def("settings", held(settings), "from_start"_a)
        .def("write_figure", write_figure, "path"_a)
        .def("write_files", write_files, "folder"_a, "names"_a)
        .def("write_checkpoint", held(write_checkpoint), "folder"_a)
        .def("picture",
             [](HeldSimulation& all) {
                 const std::string bytes = all.with(picture);
                 return nb::bytes(bytes.data(), bytes.size());
             })
        .def("image", image, "formula"_a, "largest"_a)
        .def("notes", held(+[](Simulation& s) { return notes_of(s.now()); }))
        .def("sliders", held(+[](Simulation& s) { return sliders_json(s.now()).dump(); }))
        .def("step", held(+[](Simulation& s) { return s.step(); }))
        .def("time", held(+[](Simulation& s) { return time_at(s.spec(), s.step()); }))
        .def("time_text", held(+[](Simulation& s) { return time_text(s.spec(), s.step()); }))
        .def("components", held(+[](Simulation& s) { return names_of(s.now().model->components); }))
        .def("parameters", held(parameters));
}

}  // namespace stencil::python
