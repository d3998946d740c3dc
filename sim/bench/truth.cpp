#include "sim/bench/truth.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/initial/initial.h"
#include "sim/run/choose_method.h"

namespace stencil {
namespace {

constexpr double kPieceSeconds = 0.1;
// Cell updates of the reference that take about a second.
constexpr double kReferenceUpdates = 5e8;

SolverSetup float64_setup(const LadderSpec& spec, const Method& method, Size size) {
    return {&method, size.nx, size.ny, DType::float64, spec.run.params(), spec.run.threads};
}

const Method& reference() {
    return *find_method("reference");
}

bool in_float64(const LadderSpec& spec, const Method& method) {
    return method.float64_state || spec.run.dtype == DType::float64;
}

bool fits(const Method& method, Size size) {
    return method.make_float64 && (!method.unfit || method.unfit({size.nx, size.ny}, sizeof(double)).empty());
}

const Method* find_jump(Device device, Size size) {
    for (const Method& method : methods())
        if (method.device == device && method.jumps && fits(method, size)) return &method;
    return nullptr;
}

}  // namespace

MemoryNeeds ladder_needs(const LadderSpec& spec, const Method& method, Size size) {
    const double cells = double(size.nx) * size.ny;
    const auto per_cell = [&](const Method& m, DType dtype) {
        SolverSetup setup = float64_setup(spec, m, size);
        setup.dtype = dtype;
        return solver_bytes(setup) / cells;
    };
    constexpr long long kMany = 1'000'000;
    const Method& truth = truth_method(spec, method, size, kMany);
    const double solvers =
        per_cell(method, spec.run.dtype) + sizeof(double) + per_cell(truth, DType::float64);
    const InitialChoice choice = parse_initial(spec.run.initial);
    const double making = choice.condition->bytes_per_cell + double(bytes_of(spec.run.dtype));
    if (device_of(spec) == Device::cuda) return {making, solvers};
    return {std::max(making, double(bytes_of(spec.run.dtype)) + solvers), 0};
}

const Method& truth_method(const LadderSpec& spec, const Method& judged, Size size, long long steps) {
    const auto allowed = [&](const Method& method) {
        return fits(method, size) && (&method != &judged || !in_float64(spec, judged));
    };
    const double updates = double(size.nx) * size.ny * double(steps);
    if (updates <= kReferenceUpdates && allowed(reference())) return reference();
    const Method* jump = find_jump(device_of(spec), size);
    if (jump && allowed(*jump)) return *jump;
    return choose_method({device_of(spec), {size.nx, size.ny}, sizeof(double), spec.run.boundary, steps},
                         allowed);
}

double distance_from_reference(const LadderSpec& spec, const Method& method) {
    constexpr Size kSmall{96, 64};
    constexpr long long kSteps = 100;
    const Field start = make_initial(parse_initial(spec.run.initial),
                                     {kSmall.nx, kSmall.ny, spec.run.seed, spec.run.boundary, {}});
    const auto judged = make_solver(float64_setup(spec, method, kSmall));
    judged->load(start);
    judged->advance(kSteps);
    judged->wait();
    Truth truth(spec, reference(), start);
    while (truth.step() < kSteps) truth.work(kSteps);
    return truth.error_of(*judged);
}

Truth::Truth(const LadderSpec& spec, const Method& method, const Field& start)
    : method_(method), solver_(make_solver(float64_setup(spec, method, {start.nx(), start.ny()}))) {
    solver_->load(start);
}

void Truth::work(long long target) {
    long long steps = target - step_;
    if (!method_.jumps && seconds_per_step_ > 0)
        steps = std::min(steps, std::max(1LL, static_cast<long long>(kPieceSeconds / seconds_per_step_)));
    else if (!method_.jumps)
        steps = std::min(steps, static_cast<long long>(method_.steps_at_a_time));
    solver_->advance(steps);
    seconds_per_step_ = solver_->wait() / double(steps);
    step_ += steps;
}

double Truth::error_of(Solver& judged) {
    // The reference may be on the host and the judged field on the GPU.
    if (method_.device == Device::cpu)
        judged.set_base(solver_->field());
    else
        judged.set_base(*solver_);
    const double norm = judged.norm(Quantity::base);
    return norm > 0 ? judged.norm(Quantity::difference) / norm : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace stencil
