#include "sim/bench/timed_case.h"

#include <algorithm>

namespace stencil {
namespace {

constexpr int kMaxWarmCalls = 16;
constexpr double kWarmSeconds = 0.05;
// A batch of this duration tells the time per step.
constexpr double kTelling = 0.02;
// A call that takes so long needs only one warm-up.
constexpr double kLongCall = 0.5;
// Steps for exact n-step propagation, whose time does not depend on them.
constexpr long long kJump = 100;

}  // namespace

TimedCase::TimedCase(const SolverSetup& setup, const State& start, const TimingRule& rule)
    : method_(*setup.method), rule_(rule), solver_(make_solver(setup)) {
    solver_->load(start);
    solver_->wait_for_fastest();
    if (method_.jumps && rule_.steps == 0) rule_.steps = kJump;
    batch_ = rule_.steps > 0 ? rule_.steps : method_.steps_at_a_time;
}

double TimedCase::advance(long long steps) {
    solver_->advance(steps);
    total_steps_ += steps;
    return solver_->wait();
}

long long TimedCase::whole_passes(double steps) const {
    const long long pass = std::max(method_.steps_at_a_time, solver_->way().steps_fused.value_or(1));
    return std::max(pass, static_cast<long long>(steps) / pass * pass);
}

void TimedCase::warm_up() {
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

void TimedCase::work() {
    if (steps_ == 0)
        warm_up();
    else if (!done())
        seconds_.push_back(advance(steps_));
}

}  // namespace stencil
