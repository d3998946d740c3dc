#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "app/python/arrays.h"
#include "app/python/held_simulation.h"
#include "app/python/simulation_start.h"
#include "sim/files/folder.h"
#include "sim/fit/fit.h"
#include "sim/fit/fit_report.h"
#include "sim/text/json.h"

namespace stencil::python {
namespace {

using namespace nb::literals;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> numbers_of(const nb::handle& object) {
    const auto array = nb::cast<Numbers>(object);
    return {array.data(), array.data() + array.size()};
}

// A target in memory: {"of", "kind", "values", "times", "x", "y"}; or the text of one in a file.
fitting::Target target_of(const nb::dict& given) {
    fitting::Target target;
    target.name = nb::cast<std::string>(given["name"]);
    target.formula = nb::cast<std::string>(given["of"]);
    target.values = numbers_of(given["values"]);
    target.times = numbers_of(given["times"]);
    target.size = Size{nb::cast<int>(given["nx"]), nb::cast<int>(given["ny"])};
    if (target.size->nx > 0) return target;
    target.size.reset();
    target.kind = fitting::TargetKind::series;
    const std::vector<double> x = numbers_of(given["x"]), y = numbers_of(given["y"]);
    if (x.empty()) return target;
    target.kind = fitting::TargetKind::points;
    for (std::size_t i = 0; i < x.size(); ++i) target.points.push_back({x[i], y[i]});
    return target;
}

bool interrupted() {
    const nb::gil_scoped_acquire acquired;
    return PyErr_CheckSignals() != 0;
}

// Runs work with the GIL released; Ctrl-C ends it.
template <class Work>
auto guarded(const Work& work) {
    try {
        const nb::gil_scoped_release released;
        return work();
    } catch (const fitting::Stopped&) {
    }
    throw nb::python_error();
}

class HeldFit {
  public:
    HeldFit(const std::string& spec,
            const Words& words,
            const nb::list& targets,
            const std::vector<double>& noise,
            const std::vector<std::string>& parameters,
            int evaluations,
            bool differences) {
        fitting::FitSpec asked;
        std::vector<fitting::GivenTarget> given;
        for (const nb::handle target : targets)
            if (nb::isinstance<nb::str>(target))
                given.emplace_back(nb::cast<std::string>(target));
            else
                given.emplace_back(target_of(nb::cast<nb::dict>(target)));
        const nb::gil_scoped_release released;
        asked.run = spec_of(spec, words);
        for (const std::string& text : parameters) asked.parameters.push_back(fitting::read_parameter(text));
        take_targets(asked, std::move(given), noise);
        asked.rules.most_iterations = evaluations;
        asked.differences = differences;
        fit_ = std::make_unique<fitting::Fit>(std::move(asked), query_machine());
        fit_->residuals().stops = interrupted;
    }

    // Fits, and returns fit.json; with a folder, files are written there too.
    std::string run(const std::string& out) {
        return guarded([&] {
            if (!out.empty()) make_folder(out, "out");
            while (!fit_->done()) fit_->work();
            if (!out.empty()) write_fit(out, *fit_);
            return to_json(fit_->result()).dump();
        });
    }

    std::string text() const { return to_text(fit_->result()); }
    std::string spec() const { return to_json(fit_->fitted()).dump(); }
    std::string why_differences() const { return fit_->residuals().why_differences(); }

    // The residuals, and with `jacobian` their derivatives, a row a residual.
    nb::tuple at(const std::vector<double>& parameters, bool jacobian) {
        auto found = guarded([&] { return fit_->residuals().at(parameters, jacobian); });
        return nb::make_tuple(array_of(found.residuals, 1), array_of(found.jacobian, parameters.size()));
    }

    nb::object best_residuals() const { return array_of(fit_->best_residuals(), 1); }

    std::vector<std::vector<double>> starts() const {
        std::vector<std::vector<double>> rows;
        for (const fitting::Parameter& p : fit_->parameters()) rows.push_back({*p.start, p.low, p.high});
        return rows;
    }

  private:
    static nb::object array_of(const std::vector<double>& values, std::size_t columns) {
        Array<double> cells(int(columns), int(values.size() / columns));
        std::ranges::copy(values, cells.data());
        return to_numpy(Field(std::move(cells)));
    }

    std::unique_ptr<fitting::Fit> fit_;
};

}  // namespace

void add_fit(nb::module_& module) {
    nb::class_<HeldFit>(module, "HeldFit")
        .def(nb::init<const std::string&,
                      const Words&,
                      const nb::list&,
                      const std::vector<double>&,
                      const std::vector<std::string>&,
                      int,
                      bool>(),
             "spec"_a,
             "words"_a,
             "targets"_a,
             "noise"_a,
             "parameters"_a,
             "evaluations"_a,
             "differences"_a)
        .def("run", &HeldFit::run, "out"_a)
        .def("text", &HeldFit::text)
        .def("spec", &HeldFit::spec)
        .def("why_differences", &HeldFit::why_differences)
        .def("at", &HeldFit::at, "parameters"_a, "jacobian"_a)
        .def("best_residuals", &HeldFit::best_residuals)
        .def("starts", &HeldFit::starts);
}

}  // namespace stencil::python
