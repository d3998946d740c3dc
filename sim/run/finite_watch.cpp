#include "sim/run/finite_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/run/resolve.h"

namespace stencil {
namespace {

// Looks take at most one part in so many of the time.
constexpr int kLookShare = 40;

// The first component that has a cell that is not finite; empty: all are finite.
std::string component_not_finite(Simulation& simulation) {
    for (const Component& component : simulation.now().model->components)
        if (simulation.solver().statistics(component.name).not_finite > 0) return component.name;
    return "";
}

bool copy_of_state_fits(const Simulation& simulation) {
    constexpr double kMostOfFree = 0.5, kSmall = 1 << 24;
    const RunSpec& now = simulation.now();
    const double bytes =
        double(now.size->nx) * now.size->ny * double(now.model->components.size() * bytes_of(now.dtype));
    // Asking for the free memory takes longer than some steps of a small field.
    if (bytes <= std::min(kSmall, kMostOfFree * double(now.memory_limit))) return true;
    const MemoryLimits limits = memory_limits(query_machine(), now.memory_limit);
    return bytes <= kMostOfFree * (method_of(now)->device == Device::cuda ? limits.gpu : limits.host);
}

}  // namespace

std::string NotFinite::text() const {
    if (step == after + 1) return fmt::format("{} is not finite at step {}", component, step);
    return fmt::format("{} is not finite at one of the steps {} to {}", component, after + 1, step);
}

bool FiniteWatch::begin(Simulation& simulation) {
    found_.reset();
    kept_.reset();
    finite_at_ = simulation.step();
    return look(simulation, false);
}

bool FiniteWatch::look(Simulation& simulation, bool at_once) {
    const auto begin = Clock::now();
    const bool due = begin >= next_;
    if (!due && !at_once) return true;
    if (std::string component = component_not_finite(simulation); !component.empty()) {
        go_to_first(simulation, std::move(component));
        next_ = {};
        return false;
    }
    finite_at_ = simulation.step();
    if (due) {
        keep(simulation);
        const auto end = Clock::now();
        next_ = end + std::chrono::duration_cast<Clock::duration>(runs_ * kLookShare * (end - begin));
    }
    return true;
}

void FiniteWatch::keep(Simulation& simulation) {
    kept_.reset();
    if (copy_of_state_fits(simulation))
        kept_ = std::make_unique<const Simulation::Checkpoint>(simulation.checkpoint());
}

void FiniteWatch::go_to_first(Simulation& simulation, std::string component) {
    found_ = NotFinite{simulation.step(), std::min(finite_at_, simulation.step() - 1), std::move(component)};
    if (!kept_ || kept_->step >= simulation.step()) return;
    // Steps are repeated from the copy: all before `low` are finite, `high` is not.
    long long low = kept_->step, high = simulation.step();
    while (high - low > 1) {
        const long long middle = low + (high - low) / 2;
        simulation.restore(*kept_);
        simulation.apply(Advance{middle - kept_->step});
        std::string first = component_not_finite(simulation);
        if (first.empty()) {
            low = middle;
            keep(simulation);
            if (!kept_) return;
        } else {
            high = middle;
            found_->component = std::move(first);
        }
    }
    simulation.restore(*kept_);
    simulation.apply(Advance{high - kept_->step});
    found_->step = high;
    found_->after = high - 1;
}

}  // namespace stencil
