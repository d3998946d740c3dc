#include "sim/run/simulation.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "sim/distributed/distributed_solver.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation_solver.h"
#include "sim/run/stability.h"
#include "sim/text/error.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {

bool same_solver(const RunSpec& a, const RunSpec& b) {
    const auto same = [](const RunSpec& spec) {
        return std::tie(
            spec.size, spec.dtype, spec.threads, spec.model, spec.integrator, spec.global_every, spec.dx);
    };
    const bool same_sides = !a.is_general() || std::tie(a.boundary, a.boundary_as_typed) ==
                                                   std::tie(b.boundary, b.boundary_as_typed);
    const bool same_kernel = a.kernel == b.kernel && user_kernel::fits(a) == user_kernel::fits(b);
    return method_of(a) == method_of(b) && same(a) == same(b) && same_sides && same_kernel;
}

std::unique_ptr<Solver> make_solver_of(const RunSpec& spec) {
    return make_run_solver(spec, solver_setup(spec));
}

StepParameters with_boundary(StepParameters taken, Boundary boundary) {
    taken.boundary = boundary;
    return taken;
}

// Parameters come first: a change of them would forget what steps keep for later ones, and counts time in a
// dt that the saved state may not have.
void restore_state(Solver& solver, const SavedState& state, const StepParameters& taken) {
    solver.set_params(taken);
    solver.restore(state);
}

Statistics statistics_in(const RowSource& source, std::size_t field) {
    return source.recipe().empty() ? statistics_of(*source.field(field)) : look_at(source, field).statistics;
}

namespace {

// Throws if values are not finite, by themselves or by rounding.
void require_range(const RowSource& given, std::size_t field, DType dtype, std::size_t not_finite) {
    if (not_finite == 0) return;
    const Statistics all = statistics_in(given, field);
    if (all.not_finite > 0)
        throw InputError("{} of {} cells of the start are not finite (NaN or infinite)",
                         all.not_finite,
                         std::size_t(given.nx()) * std::size_t(given.ny()));
    throw InputError(
        "the initial field's values, {:.3g} to {:.3g}, exceed the range of {}: use "
        "--dtype float64",
        all.min,
        all.max,
        name_of(dtype));
}

// Statistics of the first component, after checking the range of all. `look` gives a component's statistics.
template <class Look>
Statistics checked_statistics(const RowSource& given, DType dtype, const Look& look) {
    const Statistics first = look(0);
    require_range(given, 0, dtype, first.not_finite);
    for (std::size_t c = 1; c < given.count(); ++c) require_range(given, c, dtype, look(c).not_finite);
    return first;
}

// What may name arrays in memory.
std::string_view array_text(const Event& event) {
    if (const auto* field = std::get_if<SetField>(&event.change)) return field->what;
    return event.setting() ? event.setting()->value : std::string_view();
}

RunSpec without_events(RunSpec spec) {
    spec.edits = {};
    spec.dt_log = {};
    return spec;
}

RunSpec document_of(RunSpec now, const SimulationRecord& moment) {
    static_cast<Configuration&>(now) = moment.at_start;
    now.edits = moment.edits;
    now.dt_log = moment.dt_log;
    return now;
}

}  // namespace

RunSpec RunState::document() const {
    return document_of(now, *this);
}

RunSpec Simulation::spec() const {
    return document_of(now_, moment_);
}

Simulation::Simulation(const RunSpec& spec, State start) : Simulation(spec, in_memory(std::move(start))) {}

Simulation::Simulation(const RunSpec& spec, std::shared_ptr<const RowSource> start)
    : now_(without_events(spec)), moment_{spec, spec.edits, {}, 0, spec.dt_log} {
    if (Size{start->nx(), start->ny()} != *spec.size)
        throw std::logic_error("the field's size is not the spec's");
    keep_arrays(spec.model->text);
    for (const Event& event : spec.edits) keep_arrays(array_text(event));
    moment_.start = rounded(start, spec.dtype);
    if (start->recipe().empty()) {
        start_statistics_ = checked_statistics(
            *start, spec.dtype, [this](std::size_t c) { return statistics_in(*moment_.start, c); });
        start.reset();  // release the float64 original before the solver allocates
    }
    solver_ = make_solver_of(now_);
    solver_->load(*moment_.start);
    if (start) {  // a recipe: the solver already has its rows, so they are not made again
        start_statistics_ = checked_statistics(*start, spec.dtype, [&](std::size_t c) {
            return solver_->statistics(spec.model->components[c].name);
        });
    }
    const bool repeated = !moment_.dt_log.empty();
    take_logged_dt();
    resolve_dt(now_, *solver_);
    if (!repeated) log_start();
    take_parameters();
    check_start(now_, *solver_);
    apply_due_events(repeated);
}

Simulation::Simulation(RunState state)
    : now_(std::move(state.now)),
      moment_(std::move(state)),
      start_statistics_(statistics_in(*moment_.start, 0)),
      step_(state.solver.plain.step) {
    const Method& method = *method_of(now_);
    if (method.is_called(state.solver.method) && state.solver.backend == name_of(method.device))
        timings_ = std::move(state.timings);
    SolverSetup setup = solver_setup(now_);
    static_cast<DiffusionParams&>(setup.params) = {moment_.taken.coefficient, now_.boundary};
    setup.params.values = moment_.taken.values;
    setup.params.dt = moment_.taken.dt;
    solver_ = make_run_solver(now_, setup);
    solver_->resume(state.solver);
    apply_due_events(repeats());
}

RunState Simulation::state() {
    return {moment_, now_, timings_, solver_->snapshot()};
}

RunState Simulation::outline() {
    const Method& method = *method_of(now_);
    SolverRecord solver{{},
                        std::string(method.name),
                        std::string(name_of(method.device)),
                        solver_->inner(false),
                        solver_->clock()};
    solver.plain.step = step_;
    return {moment_, now_, timings_, std::move(solver)};
}

Simulation::Checkpoint Simulation::checkpoint() {
    return {moment_, now_, step_, start_statistics_, solver_->save()};
}

void Simulation::restore(const Checkpoint& checkpoint) {
    SimulationRecord moment = checkpoint;
    RunSpec now = now_;
    static_cast<Configuration&>(now) = checkpoint.now;
    const StepParameters taken = with_boundary(moment.taken, now.boundary);
    if (same_solver(now_, now)) {
        restore_state(*solver_, *checkpoint.state, taken);
    } else {
        auto solver = make_solver_of(now);
        restore_state(*solver, *checkpoint.state, taken);
        take(std::move(solver));
        timings_ = Timings();
    }
    // Nothing below throws.
    now_ = std::move(now);
    moment_ = std::move(moment);
    step_ = checkpoint.step;
    start_statistics_ = checkpoint.start_statistics;
}

void Simulation::look_like(const RunSpec& other) {
    RunSpec next = without_events(other);
    static_cast<Configuration&>(next) = now_;
    now_ = std::move(next);
}

void Simulation::plan(EventList edits, StepLog dt_log) {
    if (edits.size() < moment_.applied) throw std::logic_error("fewer events than have happened");
    moment_.edits = std::move(edits);
    moment_.dt_log = std::move(dt_log);
    take_logged_dt();
}

bool Simulation::conserves_total() const {
    return !now_.is_general() && moment_.conserves && row_of(now_.boundary).conserves_total;
}

void Simulation::expect(long long steps) {
    last_expected_ = step_ + steps;
    solver_->expect(steps);
}

void Simulation::take(std::unique_ptr<Solver> solver) {
    solver_ = std::move(solver);
    solver_->expect(std::max(last_expected_ - step_, 0LL));
}

void Simulation::apply(const Command& command) {
    std::visit([this](const auto& c) { run(c); }, command);
}

std::shared_ptr<const Field> Simulation::start_of(const std::string& formula) const {
    if (const auto component = find_component(*now_.model, formula)) return moment_.start->field(*component);
    return formula_of(*moment_.start->whole(), formula);
}

std::shared_ptr<const Field> Simulation::formula_of(const State& state, const std::string& formula) const {
    if (const auto component = find_component(*now_.model, formula))
        return std::make_shared<Field>(state.components[*component].clone());
    SolverSetup setup = solver_setup(now_);
    setup.method = find_method("cpu", Device::cpu, kEquation);
    const auto solver = make_solver(setup);
    solver->load(state);
    return std::make_shared<Field>(solver->field(formula));
}

void Simulation::take_parameters() {
    moment_.taken = now_.params();
    solver_->set_params(moment_.taken);
}

// Holds the arrays that a text or an event names as long as the run may need them.
void Simulation::keep_arrays(std::string_view text) {
    moment_.arrays.merge(arrays_named(text));
}

}  // namespace stencil
