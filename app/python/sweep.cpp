#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "app/python/arrays.h"
#include "app/python/held_simulation.h"
#include "app/python/simulation_start.h"
#include "sim/machine/machine.h"
#include "sim/run/output/exports.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_table.h"

namespace stencil::python {
namespace {

using namespace nb::literals;

// Runs a sweep, with the GIL released but for a look whether Ctrl-C was pressed.
void finish(Sweep& sweep) {
    while (!sweep.is_done()) {
        {
            const nb::gil_scoped_release released;
            sweep.advance();
        }
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
}

// Fields are (runs * ny, nx) arrays, which Python gives the shape of the axes.
nb::dict sweep(const std::string& named,
               const Words& words,
               const std::vector<std::pair<std::string, std::vector<std::string>>>& vary,
               const std::vector<std::string>& observe) {
    SweepSpec spec;
    spec.base = spec_of(named, words);
    for (const auto& [name, values] : vary) spec.vary.push_back({name, values});
    spec.observe = observe;
    Sweep sweep(spec, query_machine());
    const RunSpec& run = sweep.resolved();
    const std::vector<std::string> formulas = output_formulas(run);
    const int nx = run.size->nx, ny = run.size->ny;
    std::vector<Field> fields;
    for (std::size_t i = 0; i < formulas.size(); ++i) {
        fields.emplace_back(run.dtype, nx, ny * int(sweep.count()));
        fields.back().visit([]<class T>(Array<T>& all) { std::ranges::fill(all.cells(), T(kNoNumber)); });
    }
    sweep.on_measured = [&](std::size_t index, Simulation& simulation) {
        for (std::size_t i = 0; i < formulas.size(); ++i)
            fields[i].visit([&]<class T>(Array<T>& all) {
                const Field field = simulation.solver().field(formulas[i]);
                std::ranges::copy(field.as<T>().cells(),
                                  all.cells().begin() + std::ptrdiff_t(index * field.size()));
            });
    };
    finish(sweep);
    nb::dict result, columns, arrays;
    for (const SweepColumn& column : sweep_columns(sweep))
        columns[column.name.c_str()] = nb::cast(column.values);
    for (std::size_t i = 0; i < formulas.size(); ++i)
        arrays[output_name(run, formulas[i]).c_str()] = to_numpy(std::move(fields[i]));
    std::vector<std::string> status, hashes;
    for (std::size_t i = 0; i < sweep.count(); ++i) {
        status.push_back(sweep.run(i).status);
        hashes.push_back(sweep.run(i).field_hash);
    }
    const RunNotes notes = run_notes(run, run);
    result["shape"] = nb::cast(sweep.spec().shape());
    result["columns"] = columns;
    result["fields"] = arrays;
    result["status"] = nb::cast(status);
    result["field_hash"] = nb::cast(hashes);
    result["corner"] = nb::make_tuple(notes.x, notes.y, notes.dx);
    return result;
}

}  // namespace

void add_sweep(nb::module_& module) {
    module.def("sweep", &sweep, "named"_a, "words"_a, "vary"_a, "observe"_a);
}

}  // namespace stencil::python
