#include "sim/run/start.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/equation_stepper.h"
#include "sim/field/field_hash.h"
#include "sim/model/equations.h"
#include "sim/model/sides.h"
#include "sim/model/step/stages.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

using equation::Equations;
using equation::EquationStepper;

const std::string& start_of(const RunSpec& spec, std::size_t component) {
    if (component == 0) return spec.initial;
    static const std::string own;
    const auto given = spec.initials.find(spec.model->components[component].name);
    return given == spec.initials.end() ? own : given->second;
}

Field read_start(const RunSpec& spec, const InitialChoice& choice) {
    return make_initial(choice, {spec.size->nx, spec.size->ny, spec.seed, spec.boundary, choice.parameters});
}

// Those of the text, with formulas given beside it in their places.
std::vector<Field> evaluate_starts(const RunSpec& spec) {
    std::vector<std::string> formulas;
    std::vector<std::size_t> places;
    const std::size_t components = spec.model->components.size();
    for (std::size_t c = 0; c < components; ++c) {
        const InitialChoice choice = parse_initial(start_of(spec, c));
        if (choice.formula.empty()) continue;
        formulas.push_back(choice.formula);
        places.push_back(c);
    }
    Equations equations = run_equations(spec, formulas);
    for (std::size_t i = 0; i < places.size(); ++i)
        equations.components[places[i]].initial = equations.extra[i];
    ThreadPool threads(spec.threads);
    equation::EquationSetup setup;
    setup.nx = spec.size->nx;
    setup.ny = spec.size->ny;
    setup.spacing = spec.spacing();
    setup.dt = spec.time_step();
    setup.parameters = spec.parameters;
    setup.seed = spec.seed;
    EquationStepper<double> stepper(equation::make_start_program(equations, true), setup, threads);
    const auto data = read_data(spec);
    for (std::size_t d = 0; d < data.size(); ++d) copy_cells(data[d]->view(), stepper.data(int(d)));
    stepper.advance(1);
    std::vector<Field> starts;
    for (std::size_t c = 0; c < components; ++c) {
        Array<double> cells(setup.nx, setup.ny);
        copy_cells<double>(stepper.component(int(c)), cells.view());
        starts.emplace_back(std::move(cells));
    }
    return starts;
}

void check_hash(RunSpec& spec, const Field& field) {
    const std::string hash = field_hash(field);
    if (!spec.initial_hash.empty() && spec.initial_hash != hash)
        throw InputError(
            fmt::format("--initial {}: the file is not what it was when spec.json was written: "
                        "to start from it as it is now, give --initial",
                        quotable(spec.initial)));
    spec.initial_hash = hash;
}

}  // namespace

InitialChoice initial_choice(const RunSpec& spec) {
    return parse_initial(spec.initial);
}

std::vector<std::string> start_files(const RunSpec& spec) {
    std::vector<std::string> files;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c)
        if (const auto choice = parse_initial(start_of(spec, c)); !choice.file.empty())
            files.push_back(choice.file);
    return files;
}

State make_start(RunSpec& spec) {
    State start;
    std::vector<Field> evaluated;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c) {
        const InitialChoice choice = parse_initial(start_of(spec, c));
        if (choice.condition || !choice.file.empty()) {
            start.components.push_back(read_start(spec, choice));
            if (c == 0 && !choice.condition) check_hash(spec, start.components.front());
            continue;
        }
        if (evaluated.empty()) evaluated = evaluate_starts(spec);
        start.components.push_back(std::move(evaluated[c]));
    }
    return start;
}

Equations run_equations(const RunSpec& spec, const std::vector<std::string>& formulas) {
    Equations equations = equation::read_equations(spec.model->text, formulas);
    equations.spacing = spec.spacing();
    if (!spec.boundary_as_typed)
        for (auto& component : equations.components)
            component.sides.fill(*equation::condition_of_word(equations.graph, name_of(spec.boundary)));
    return equations;
}

std::shared_ptr<const TypedRun> typed_run(const RunSpec& spec) {
    auto run = std::make_shared<TypedRun>();
    run->equations = run_equations(spec);
    run->scheme = stepping_scheme(spec);
    run->seed = spec.seed;
    run->data = read_data(spec);
    run->with_formula = [spec](const std::string& formula) { return run_equations(spec, {formula}); };
    return run;
}

equation::SteppingScheme stepping_scheme(const RunSpec& spec) {
    return equation::scheme_of(spec.stepper.empty() ? spec.model->equations->stepper : spec.stepper);
}

std::vector<std::shared_ptr<const Array<double>>> read_data(const RunSpec& spec) {
    std::vector<std::shared_ptr<const Array<double>>> data;
    if (!spec.model->equations) return data;
    for (const auto& source : spec.model->equations->data) {
        InitialChoice choice;
        choice.file = source.file;
        const Field field = read_start(spec, choice).to(DType::float64);
        data.push_back(std::make_shared<Array<double>>(field.as<double>().clone()));
    }
    return data;
}

}  // namespace stencil
