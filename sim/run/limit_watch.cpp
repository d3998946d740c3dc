#include "sim/run/limit_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/model/equations.h"
#include "sim/run/stability.h"

namespace stencil {

void LimitWatch::begin(const Simulation& simulation) {
    constexpr auto kUntilFirst = std::chrono::milliseconds(20);  // some looks at a small field take as long
    step_ = simulation.step();
    time_ = simulation.time();
    next_ = Clock::now() + kUntilFirst;
}

StepLimit LimitWatch::found(Simulation& simulation) const {
    constexpr double kEnough = 1.1;  // a limit that is further above dt need not be known to tell
    const RunSpec& now = simulation.now();
    StepLimit found{now.time_step(), simulation.time(), {}, {}};
    found.limit.dt = kUnbounded;
    bool finite = true;
    if (shows_)
        for (const Component& component : now.model->components) {
            const Statistics statistics = simulation.solver().statistics(component.name);
            found.means.push_back(statistics.mean);
            finite = finite && statistics.not_finite == 0;
        }
    if (!finite && newest_)
        found.limit = newest_->limit;
    else if (std::ranges::any_of(now.model->equations->components, &equation::Evolving::rate))
        found.limit = stable_step(now, simulation.solver(), false, shows_ ? kUnbounded : kEnough * found.dt);
    return found;
}

std::string LimitWatch::look(Simulation& simulation, bool at_once) {
    constexpr int kLookShare = 40;  // one part in so many of the time
    const RunSpec& now = simulation.now();
    const double dt = now.time_step();
    const auto begun = Clock::now();
    if (simulation.step() < step_) step_ = 0, time_ = 0;
    const bool tells = dt != told_ && !now.allow_unstable && !is_adaptive(now.dt) && now.is_general();
    if ((!tells && !shows_) || (!at_once && begun < next_)) return "";
    newest_ = std::make_shared<const StepLimit>(found(simulation));
    std::string text;
    if (verdict(dt, newest_->limit) != StepVerdict::unstable) {
        begin(simulation);
        told_ = 0;
    } else if (tells) {
        const double since = time_beyond_limit(now, simulation.solver(), time_);
        const std::string when =
            since > time_
                ? fmt::format("from step {} on", step_ + std::llround(std::ceil((since - time_) / dt)))
                : fmt::format("at step {}, and was not at step {}", simulation.step(), step_);
        text = fmt::format("dt is above its limit {}: {}; dt = follow:0.8limit stays below it",
                           when,
                           stability_text(dt, newest_->limit));
        told_ = dt;
    }
    next_ = Clock::now() + kLookShare * (Clock::now() - begun);
    return text;
}

}  // namespace stencil
