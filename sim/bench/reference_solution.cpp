#include "sim/bench/reference_solution.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/initial/initial.h"
#include "sim/run/choose_method.h"
#include "sim/run/start.h"

namespace stencil {
namespace {

constexpr double kPieceSeconds = 0.1;
// The reference method does so many cell updates in about a second.
constexpr double kReferenceUpdates = 5e8;

SolverSetup float64_setup(const LadderSpec& spec, const Method& method, Size size) {
    return setup_of(spec, method, size, DType::float64);
}

const Method& reference(const LadderSpec& spec) {
    return *find_method("reference", Device::cpu, spec.run.family());
}

bool in_float64(const LadderSpec& spec, const Method& method) {
    return method.float64_state || spec.run.dtype == DType::float64;
}

bool fits(const Method& method, Size size) {
    return method.is_built() && (!method.unsupported_reason ||
                                 method.unsupported_reason({size.nx, size.ny}, sizeof(double)).empty());
}

const Method& fastest_on(Device device, std::string_view model) {
    MethodRequest request;
    request.device = device;
    request.model = model;
    return choose_method(request);
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
        return solver_bytes(setup_of(spec, m, size, dtype)) / cells;
    };
    constexpr long long kMany = 1'000'000;
    const Method& truth = reference_method(spec, method, size, kMany);
    const double solvers =
        per_cell(method, spec.run.dtype) + sizeof(double) + per_cell(truth, DType::float64);
    const InitialChoice choice = parse_initial(spec.run.initial);
    const double fields = double(spec.run.model->components.size());
    const double made = choice.condition ? choice.condition->bytes_per_cell : 16 * (fields + 2);
    const double making = made + fields * double(bytes_of(spec.run.dtype));
    if (device_of(spec) == Device::cuda) return {making, solvers};
    return {std::max(making, double(bytes_of(spec.run.dtype)) + solvers), 0};
}

const Method& reference_method(const LadderSpec& spec, const Method& judged, Size size, long long steps) {
    // The interpreter would take minutes, so use the device's fastest; distance_from_reference() checks it.
    if (spec.run.is_general()) return fastest_on(device_of(spec), kEquation);
    const auto allowed = [&](const Method& method) {
        return fits(method, size) && (&method != &judged || !in_float64(spec, judged));
    };
    const double updates = double(size.nx) * size.ny * double(steps);
    if (updates <= kReferenceUpdates && allowed(reference(spec))) return reference(spec);
    const Method* jump = find_jump(device_of(spec), size);
    if (jump && allowed(*jump)) return *jump;
    return choose_method({device_of(spec), {size.nx, size.ny}, sizeof(double), spec.run.boundary, steps},
                         allowed);
}

double distance_from_reference(const LadderSpec& spec, const Method& method) {
    constexpr Size kSmall{96, 64};
    constexpr long long kSteps = 100;
    RunSpec small = run_of(spec, method, kSmall);
    const State start = make_start(small);
    const auto judged = make_solver(float64_setup(spec, method, kSmall));
    judged->load(start);
    judged->advance(kSteps);
    judged->wait();
    ReferenceSolution truth(spec, reference(spec), start);
    while (truth.step() < kSteps) truth.work(kSteps);
    return truth.error_of(*judged);
}

ReferenceSolution::ReferenceSolution(const LadderSpec& spec, const Method& method, const State& start)
    : method_(method),
      solver_(
          make_solver(float64_setup(spec, method, {start.components[0].nx(), start.components[0].ny()}))) {
    solver_->load(start);
}

void ReferenceSolution::work(long long target) {
    long long steps = target - step_;
    if (!method_.jumps && seconds_per_step_ > 0)
        steps = std::min(steps, std::max(1LL, static_cast<long long>(kPieceSeconds / seconds_per_step_)));
    else if (!method_.jumps)
        steps = std::min(steps, static_cast<long long>(method_.steps_at_a_time));
    solver_->advance(steps);
    seconds_per_step_ = solver_->wait() / double(steps);
    step_ += steps;
}

double ReferenceSolution::error_of(Solver& judged) {
    // The reference may be on the host while the judged field is on the GPU.
    if (method_.device == Device::cpu)
        judged.set_base(solver_->field());
    else
        judged.set_base(*solver_);
    const double norm = judged.norm(Quantity::base);
    return norm > 0 ? judged.norm(Quantity::difference) / norm : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace stencil
