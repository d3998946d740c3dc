#include "sim/run/limit_watch.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/model/equations.h"
#include "sim/run/stability.h"

namespace stencil {

void LimitWatch::begin(const Simulation& simulation) {
    step_ = simulation.step();
    time_ = simulation.time();
}

std::string LimitWatch::look(Simulation& simulation, bool at_once) {
    constexpr int kLookShare = 40;  // one part in so many of the time
    const RunSpec& now = simulation.now();
    const double dt = now.time_step();
    const auto begun = Clock::now();
    if (simulation.step() < step_) step_ = 0, time_ = 0;
    if (dt == told_ || now.allow_unstable || is_adaptive(now.dt) || !now.is_general() ||
        (!at_once && begun < next_))
        return "";
    constexpr double kEnough = 1.1;  // a limit that is further above dt need not be known
    const equation::StableStep limit = stable_step(now, simulation.solver(), false, kEnough * dt);
    std::string text;
    if (verdict(dt, limit) == StepVerdict::unstable) {
        const double since = time_beyond_limit(now, simulation.solver(), time_);
        const std::string when =
            since > time_
                ? fmt::format("from step {} on", step_ + std::llround(std::ceil((since - time_) / dt)))
                : fmt::format("at step {}, and was not at step {}", simulation.step(), step_);
        text = fmt::format("dt is above its limit {}: {}; dt = follow:0.8limit stays below it",
                           when,
                           stability_text(dt, limit));
        told_ = dt;
    } else {
        begin(simulation);
        told_ = 0;
    }
    next_ = Clock::now() + kLookShare * (Clock::now() - begun);
    return text;
}

}  // namespace stencil
