#include "sim/bench/suite.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/equation/operations.h"
#include "sim/initial/initial.h"
#include "sim/machine/median.h"
#include "sim/model/step/stages.h"
#include "sim/problem/start.h"
#include "sim/run/choose_method.h"
#include "sim/text/error.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {

struct TimingRule {
    long long steps = 0;  ///< per repeat; 0: as many as take `seconds`, at most `most_steps`
    int repeats = 7;
    double seconds = 0.2;
    long long most_steps = 10000;  ///< exceeded if a pass of the method is longer
};

/// Times one method; a call of work() does at most one repeat. The field is loaded once; total_steps() counts
/// all steps: warm-up, calibration and the timed repeats.
class TimedCase {
  public:
    TimedCase(const SolverSetup& setup, const State& start, const TimingRule& rule, const Machine& machine)
        : method_(*setup.method),
          rule_(rule),
          solver_(make_solver(setup)),
          power_(method_.device == Device::cuda ? std::optional(machine.gpu()) : std::nullopt) {
        solver_->load(start);
        solver_->wait_for_fastest();
        if (method_.jumps && rule_.steps == 0) rule_.steps = kJump;
        batch_ = rule_.steps > 0 ? rule_.steps : method_.steps_at_a_time;
    }

    void work() {
        if (steps_ == 0) {
            warm_up();
        } else if (!done()) {
            power_.start();
            seconds_.push_back(advance(steps_));
            power_.stop(seconds_.back());
        }
    }

    bool done() const { return int(seconds_.size()) == rule_.repeats; }

    int repeats_done() const { return int(seconds_.size()); }
    long long steps() const { return steps_; }  ///< per repeat
    long long total_steps() const { return total_steps_; }
    const std::vector<double>& seconds() const { return seconds_; }  ///< of each repeat
    std::optional<PowerMeter::Use> power() const { return power_.use(); }
    /// Makes further steps, which change the field, if the repeats were too short for the counter of energy;
    /// returns whether it did.
    bool work_on_power() {
        if (method_.jumps || !power_.wants_more()) return false;
        constexpr double kPiece = 0.1;  // seconds
        power_.start();
        power_.stop(advance(steps_ * (1 + static_cast<long long>(kPiece / std::max(seconds_.back(), 1e-6)))));
        return true;
    }
    Solver& solver() { return *solver_; }

  private:
    double advance(long long steps) {
        solver_->advance(steps);
        total_steps_ += steps;
        return solver_->wait();
    }

    long long whole_passes(double steps) const {
        const long long pass = std::max(method_.steps_at_a_time, solver_->way().steps_fused.value_or(1));
        return std::max(pass, static_cast<long long>(steps) / pass * pass);
    }

    void warm_up() {
        const double seconds = advance(batch_);
        warm_seconds_ += seconds;
        ++warm_calls_;
        if (warm_calls_ == 1 && seconds < kLongCall) return;  // the first call includes one-time costs
        const bool telling = seconds >= std::min(kTelling, rule_.seconds / 2);
        if (rule_.steps == 0 && !telling && 2 * batch_ <= rule_.most_steps) {
            batch_ *= 2;
            return;
        }
        if (warm_seconds_ < kWarmSeconds && warm_calls_ < kMaxWarmCalls) return;
        const double fitting = rule_.seconds * double(batch_) / std::max(seconds, 1e-9);
        steps_ = rule_.steps > 0 ? rule_.steps : whole_passes(std::min(fitting, double(rule_.most_steps)));
    }

    static constexpr int kMaxWarmCalls = 16;
    static constexpr double kWarmSeconds = 0.05;
    // A batch that takes this many seconds is long enough to estimate the time per step.
    static constexpr double kTelling = 0.02;
    // A call that takes this long needs only one warm-up.
    static constexpr double kLongCall = 0.5;
    // Steps per repeat of exact n-step propagation, whose time does not depend on them.
    static constexpr long long kJump = 100;

    const Method& method_;
    TimingRule rule_;
    std::unique_ptr<Solver> solver_;
    long long steps_ = 0;  ///< 0: not calibrated yet
    long long batch_ = 0;  ///< steps per warm-up call
    int warm_calls_ = 0;
    double warm_seconds_ = 0;
    long long total_steps_ = 0;
    std::vector<double> seconds_;
    PowerMeter power_;
};

namespace {

constexpr Size kNextToNothing{32, 32};
constexpr long long kMaxRepeatSteps =
    10000;  // per repeat: a millisecond of the fastest method, which is enough
// Longest warm-up, as a multiple of a repeat's steps.
constexpr int kWarmRepeats = 8;
// A method that differs from `reference` by more than this on a small field is no reference solution.
constexpr double kTruthBound = 1e-12;

// Returns the number of steps in which the field's slowest mode falls to a hundredth. With zero outside, the
// field decays until a relative error is meaningless.
double steps_that_leave_something(const DiffusionParams& params, Size size) {
    if (row_of(params.boundary).conserves_total) return std::numeric_limits<double>::infinity();
    const auto eigenvalue = [](int n) { return 2 - 2 * std::cos(std::numbers::pi / (n + 1)); };
    return std::log(100) / (params.coefficient * (eigenvalue(size.nx) + eigenvalue(size.ny)));
}

double instructions_of(const SuiteSpec& spec) {
    if (!spec.run.is_general()) return kInstructionsPerCell;
    const RunSpec run = run_of(spec, method_of(spec, spec.methods.front()), {32, 32});
    const bool float64 = run.dtype == DType::float64;
    const auto program = planned_equations(run)->step(run.integrator, float64, run.time_step());
    return std::max(equation::operations_of_cell(*program), 1.0);
}

Size size_of(const State& state) {
    return {state.components.front().nx(), state.components.front().ny()};
}

// Every multiprocessor since compute capability 3.0 has 65536 32-bit registers.
constexpr double kRegisterBytes = 65536 * 4.0;

// Returns the fastest level that holds the field: "registers" (one copy, in all multiprocessors), "L2" or
// "L3" (the double buffer, in the caches of the threads' cores), else "memory".
std::string_view level_of(const SolverSetup& setup, const Machine& machine) {
    const std::size_t components = setup.components();
    const double field = double(setup.nx) * setup.ny * double(components * bytes_of(setup.dtype));
    if (setup.method->device == Device::cuda) {
        const CudaDevice& gpu = machine.gpu();
        if (field <= gpu.facts.multiprocessors * kRegisterBytes) return "registers";
        return 2 * field <= double(gpu.l2_bytes) ? "L2" : "memory";
    }
    if (2 * field <= setup.threads * double(std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), 0L))) return "L2";
    return 2 * field <= double(last_level_cache_bytes()) ? "L3" : "memory";
}

constexpr double kPieceSeconds = 0.1;
// The reference method does about this many cell updates in a second.
constexpr double kReferenceUpdates = 5e8;

SolverSetup float64_setup(const SuiteSpec& spec, const Method& method, Size size) {
    return setup_of(spec, method, size, DType::float64);
}

const Method& reference(const SuiteSpec& spec) {
    return *find_method("reference", Device::cpu, spec.run.family());
}

bool in_float64(const SuiteSpec& spec, const Method& method) {
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

std::string SuiteLimits::instruction_rate() const {
    const bool tera = instructions_per_second >= 1e12;
    return fmt::format(
        "{:.3g}{} instructions/s", instructions_per_second / (tera ? 1e12 : 1e9), tera ? "e12" : "e9");
}

void LimitsMeasurement::work(SuiteLimits& limits, const RunSpec& run, Device device, bool disturbed) {
    const bool copies = limits.copy_gb_per_s == 0;
    const bool l2 = !copies && device == Device::cuda && limits.l2_gb_per_s == 0;
    if (!rate_ && copies)
        rate_ = copy_bandwidth(
            device, run.threads, disturbed && device == Device::cpu ? CopyPiece::slice : CopyPiece::whole);
    if (!rate_ && l2) rate_ = l2_bandwidth(query_machine().gpu().l2_bytes);
    if (!rate_) rate_ = issue_rate(device, run.dtype, run.threads);
    rate_->work();
    if (!rate_->done()) return;
    double& limit = copies ? limits.copy_gb_per_s : l2 ? limits.l2_gb_per_s : limits.instructions_per_second;
    limit = disturbed ? rate_->fastest() : rate_->median();
    rate_.reset();
}

Suite::Suite(SuiteSpec spec, const Machine& machine, std::optional<SuiteLimits> known)
    : spec_(std::move(spec)), machine_(machine), limits_done_(known.has_value()) {
    if (known) limits_ = *known;
    limits_.components = double(spec_.run.model->components.size());
    limits_.instructions_per_cell = instructions_of(spec_);
    if (spec_.sweep)
        for (const std::string& name : spec_.methods)
            cases_.push_back({&method_of(spec_, name), kNextToNothing, true});
    for (const Size& size : spec_.sizes) {
        if (spec_.kernel) {
            cases_.push_back({&spec_.kernel->method, size, false});
            continue;
        }
        for (const std::string& name : spec_.methods)
            cases_.push_back({&method_of(spec_, name), size, false});
    }
}

Suite::~Suite() = default;

void Suite::work() {
    if (!limits_done_) {
        measurement_.work(limits_, spec_.run, device_of(spec_), false);
        limits_done_ = limits_.instructions_per_second > 0;
    } else if (!trial_) {
        if (next_ < cases_.size()) begin_case();
    } else if (!trial_->done()) {
        trial_->work();
    } else if (cases_[next_ - 1].floor) {
        fixed_us_[cases_[next_ - 1].method] = median(trial_->seconds()) / double(trial_->steps()) * 1e6;
        trial_.reset();
    } else if (!row_) {
        work_on_truth();
    } else if (!trial_->work_on_power()) {
        row_->power = trial_->power();
        rows_.push_back(*std::exchange(row_, {}));
        trial_.reset();
    }
}

// Returns why the method cannot be measured; empty if it can.
std::string Suite::why_not(const Case& one) const {
    const Method& method = *one.method;
    if (!method.is_built()) return "this build does not have it";
    if (method.unsupported_reason)
        if (const std::string why =
                method.unsupported_reason({one.size.nx, one.size.ny}, bytes_of(spec_.run.dtype));
            !why.empty())
            return why;
    try {
        require_memory(suite_needs(spec_, method, one.size),
                       memory_limits(query_machine(), spec_.run.memory_limit),
                       {one.size.nx, one.size.ny});
    } catch (const MachineError& error) {
        return error.what();
    }
    return "";
}

TimingRule Suite::rule_for(const Case& one) const {
    TimingRule rule{spec_.steps, spec_.repeats, spec_.repeat_seconds, kMaxRepeatSteps};
    // Patterns that grow from noise amplify rounding errors, so their error is measured after few steps.
    constexpr double kTelling = 2000;
    const bool general = spec_.run.is_general();
    const double most = general ? kTelling : steps_that_leave_something(spec_.run.params(), one.size);
    rule.most_steps = static_cast<long long>(
        std::clamp(most / (spec_.repeats + kWarmRepeats), 1.0, double(kMaxRepeatSteps)));
    if (one.floor) rule = {0, kMinRepeats, spec_.repeat_seconds / 10, kMaxRepeatSteps};
    return rule;
}

SuiteRow Suite::new_row(const Case& one) const {
    SuiteRow row;
    row.method = one.method;
    row.size = one.size;
    row.fits = level_of(setup_of(spec_, *one.method, one.size, spec_.run.dtype), machine_);
    return row;
}

void Suite::begin_case() {
    const Case& one = cases_[next_++];
    if (start_ && size_of(*start_) != one.size) {
        truth_.reset();
        start_.reset();
    }
    std::string why = why_not(one);
    if (!why.empty() && start_) {  // the last method may still occupy memory
        truth_.reset();
        start_.reset();
        why = why_not(one);
    }
    if (!why.empty()) {
        if (one.floor) return;
        rows_.push_back(new_row(one));
        rows_.back().why_not = why;
        return;
    }
    if (!start_) {
        RunSpec run = run_of(spec_, *one.method, one.size);
        start_ = std::make_unique<State>(make_start(run).to(run.dtype));
    }
    trial_ = std::make_unique<TimedCase>(
        setup_of(spec_, *one.method, one.size, spec_.run.dtype), *start_, rule_for(one), machine_);
}

// Advances the reference solution; reuses the previous method's if that fits and is not ahead.
void Suite::work_on_truth() {
    const Case& one = cases_[next_ - 1];
    const long long target = trial_->total_steps();
    if (!truth_ || truth_->step() > target) truth_.reset();
    const Method& wanted = reference_method(spec_, *one.method, one.size, target);
    if (truth_ && &truth_->method() != &wanted) truth_.reset();
    if (!truth_) {
        if (!truth_errors_.contains(&wanted)) {
            const double distance = distance_from_reference(spec_, wanted);
            if (!(distance <= kTruthBound))
                throw MachineError(
                    "{} in float64 is no truth to compare with: it is {:.1e} from the reference",
                    wanted.name,
                    distance);
            truth_errors_[&wanted] = distance;
        }
        truth_ = std::make_unique<ReferenceSolution>(spec_, wanted, *start_);
    }
    if (truth_->step() < target)
        truth_->work(target);
    else
        finish_case();
}

void Suite::finish_case() {
    const Case& one = cases_[next_ - 1];
    const DType dtype = spec_.run.dtype;
    SuiteRow row = new_row(one);
    const auto [fastest, slowest] = std::ranges::minmax(trial_->seconds());
    row.steps = trial_->steps();
    row.repeats = trial_->repeats_done();
    row.seconds = median(trial_->seconds());
    row.spread = (slowest - fastest) / row.seconds;
    if (!one.method->jumps)
        row.speed = speed_of(row.seconds, row.steps, row.cells(), dtype, std::size_t(limits_.components));
    row.total_steps = trial_->total_steps();
    row.error = truth_->error_of(trial_->solver());
    row.truth = truth_->method().name;
    row.way = trial_->solver().way();
    row.truth_error = truth_errors_.at(&truth_->method());
    if (const auto fixed = fixed_us_.find(one.method); fixed != fixed_us_.end()) row.fixed_us = fixed->second;
    row_ = std::move(row);
}

std::string Suite::doing() const {
    if (!limits_done_) return "the machine's limits";
    if (!trial_) return "the field to start from";
    const Case& one = cases_[next_ - 1];
    const std::string what = fmt::format("{} {}x{}", one.method->name, one.size.nx, one.size.ny);
    if (!trial_->done())
        return fmt::format("{}: {} of {} repeats", what, trial_->repeats_done(), spec_.repeats);
    return fmt::format("{}: computing the reference", what);
}

double Suite::share() const {
    return cases_.empty() ? 1 : double(next_ - (trial_ ? 1 : 0)) / double(cases_.size());
}

MemoryNeeds suite_needs(const SuiteSpec& spec, const Method& method, Size size) {
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

const Method& reference_method(const SuiteSpec& spec, const Method& judged, Size size, long long steps) {
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

double distance_from_reference(const SuiteSpec& spec, const Method& method) {
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

ReferenceSolution::ReferenceSolution(const SuiteSpec& spec, const Method& method, const State& start)
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
