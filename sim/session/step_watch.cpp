#include "sim/session/step_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/model/equations.h"
#include "sim/run/simulation.h"
#include "sim/run/stability.h"

namespace stencil {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(300);

bool has_rates(const RunSpec& spec) {
    return std::ranges::any_of(spec.model->equations->components, &equation::Evolving::rate);
}

std::shared_ptr<const StepLimit> look_at(Simulation& simulation, const StepLimit* before) {
    const RunSpec& now = simulation.now();
    Solver& solver = simulation.solver();
    auto found = std::make_shared<StepLimit>();
    found->dt = now.time_step();
    found->time = solver.time();
    for (const Component& component : now.model->components) {
        const Statistics statistics = solver.statistics(component.name);
        found->means.push_back(statistics.mean);
        if (found->overflowed.empty() && overflows(statistics)) found->overflowed = component.name;
    }
    found->limit.dt = std::numeric_limits<double>::infinity();
    // An overflowed field gives no limit, so the last known one is kept.
    if (!found->overflowed.empty() && before)
        found->limit = before->limit;
    else if (has_rates(now))
        found->limit = stable_step(now, solver);
    return found;
}

}  // namespace

bool overflows(const Statistics& statistics) {
    return statistics.not_finite > 0 ||
           std::max(std::abs(statistics.min), std::abs(statistics.max)) > kOverflow;
}

bool StepLimit::exceeded() const {
    return verdict(dt, limit) == StepVerdict::unstable;
}

const std::shared_ptr<const StepLimit>& StepWatch::look(Simulation& simulation,
                                                        std::uint64_t version,
                                                        bool exact) {
    const bool due = exact || (cadence_.due() && Cadence::Clock::now() >= next_);
    if (newest_ && (version == version_ || !due)) return newest_;
    cadence_.spend([&] { newest_ = look_at(simulation, newest_.get()); });
    version_ = version;
    next_ = Cadence::Clock::now() + kInterval;
    return newest_;
}

std::string overflow_text(long long step, const StepLimit& found) {
    const std::string why = found.exceeded() ? ": " + stability_text(found.dt, found.limit) : "";
    const std::string_view remedy = found.exceeded() ? "a smaller dt" : "other parameters or a smaller dt";
    return fmt::format(
        "{} overflowed at step {}{}. Undo or Reset, then use {}", found.overflowed, step, why, remedy);
}

}  // namespace stencil
