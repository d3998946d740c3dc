#include "sim/session/timeline.h"

#include <algorithm>
#include <limits>

namespace stencil {
namespace {

constexpr auto kOftenest = std::chrono::milliseconds(100);
constexpr int kTimesItsCost = 30;  // time between two states, relative to the cost of keeping one

}  // namespace

std::size_t bytes_of(const Simulation::Checkpoint& checkpoint) {
    return checkpoint.state ? checkpoint.state->bytes() : 0;
}

KeptState Timeline::keep(Simulation& simulation, double budget_bytes, bool pinned) {
    const auto begin = Clock::now();
    auto state = std::make_shared<const Simulation::Checkpoint>(simulation.checkpoint());
    put(state, pinned);
    thin_out(budget_bytes);
    const auto end = Clock::now();
    next_ = end + std::max<Clock::duration>(kOftenest, kTimesItsCost * (end - begin));
    return state;
}

void Timeline::put(KeptState state, bool pinned) {
    const auto after = std::ranges::upper_bound(kept_, state->step, {}, &Entry::step);
    if (after != kept_.begin() && (after - 1)->step() == state->step && !(after - 1)->pinned)
        *(after - 1) = {std::move(state), pinned};
    else
        kept_.insert(after, {std::move(state), pinned});
}

KeptState Timeline::before(long long step) const {
    const auto after = std::ranges::upper_bound(kept_, step, {}, &Entry::step);
    return after == kept_.begin() ? nullptr : (after - 1)->state;
}

bool Timeline::has(const KeptState& state) const {
    return std::ranges::find(kept_, state, &Entry::state) != kept_.end();
}

void Timeline::unpin(const KeptState& state) {
    const auto found = std::ranges::find(kept_, state, &Entry::state);
    if (found != kept_.end()) found->pinned = false;
}

void Timeline::cut(long long step) {
    std::erase_if(kept_, [&](const Entry& entry) { return entry.step() >= step; });
}

std::vector<std::weak_ptr<const Simulation::Checkpoint>> Timeline::remember() const {
    std::vector<std::weak_ptr<const Simulation::Checkpoint>> states;
    for (const Entry& entry : kept_) states.emplace_back(entry.state);
    return states;
}

void Timeline::recall(const std::vector<std::weak_ptr<const Simulation::Checkpoint>>& states) {
    std::vector<Entry> recalled;
    for (const auto& one : states) {
        KeptState state = one.lock();
        if (!state) continue;
        const auto known = std::ranges::find(kept_, state, &Entry::state);
        recalled.push_back({std::move(state), known != kept_.end() && known->pinned});
    }
    kept_ = std::move(recalled);
}

std::vector<long long> Timeline::steps() const {
    std::vector<long long> steps;
    for (const Entry& entry : kept_) steps.push_back(entry.step());
    return steps;
}

std::size_t Timeline::bytes() const {
    std::size_t sum = 0;
    for (const Entry& entry : kept_) sum += bytes_of(*entry.state);
    return sum;
}

void Timeline::thin_out(double budget_bytes) {
    const auto too_many = [&] { return kept_.size() > kMost || double(bytes()) > budget_bytes; };
    while (too_many()) {
        // Keep the first state as long as there is another to drop.
        std::size_t least = kept_.size();
        double least_gap = std::numeric_limits<double>::infinity();
        for (std::size_t i = 1; i + 1 < kept_.size(); ++i) {
            if (kept_[i].pinned) continue;
            const auto gap = double(kept_[i + 1].step() - kept_[i - 1].step());
            const auto age = double(std::max(kept_.back().step() - kept_[i].step(), 1LL));
            if (gap / age >= least_gap) continue;
            least = i;
            least_gap = gap / age;
        }
        if (least == kept_.size()) {
            const auto loose = std::ranges::find(kept_, false, &Entry::pinned);
            if (loose == kept_.end()) return;
            least = std::size_t(loose - kept_.begin());
        }
        kept_.erase(kept_.begin() + std::ptrdiff_t(least));
    }
}

}  // namespace stencil
