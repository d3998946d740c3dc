#include "sim/session/speeds.h"

#include <algorithm>
#include <cmath>

namespace stencil {
namespace {

// Shorter than the command line's, because frames and actions must fit between.
constexpr double kRepeatSeconds = 0.03;
// Number of batches whose median counts as the method's speed.
constexpr std::size_t kTellingBatches = 8;

bool same_case(const MethodSpeed& a, const MethodSpeed& b) {
    return a.method == b.method && a.edge == b.edge;
}

}  // namespace

bool Speeds::limits_are_due(std::uint64_t frame, bool settled) const {
    return limits_wanted_ && !suite_ && (settled || limits_at_ != frame);
}

void Speeds::measure_limits(const RunSpec& now, std::uint64_t frame) {
    limits_at_ = frame;
    measurement_.work(limits_, now, method_of(now)->device, true);
    if (limits_.instructions_per_second > 0) limits_wanted_ = false;
}

void Speeds::forget_limits(bool of_copies) {
    limits_wanted_ = limits_wanted_ || limits_.copy_gb_per_s > 0;
    limits_.instructions_per_second = 0;
    if (of_copies || limits_.copy_gb_per_s > 0) measurement_.forget();
    if (of_copies) limits_.copy_gb_per_s = limits_.l2_gb_per_s = 0;
}

void Speeds::keep(const Tried& tried) {
    std::erase_if(tried_, [&](const Tried& before) {
        return before.of_suite == tried.of_suite && before.dtype == tried.dtype &&
               same_case(before.speed, tried.speed);
    });
    tried_.push_back(tried);
}

void Speeds::note(const RunSpec& now, const Timings& recent) {
    const Timings::Spread spread = recent.spread();
    const Method* method = method_of(now);
    if (spread.batches < kTellingBatches || method->jumps) return;
    const double cells = double(now.size->nx) * now.size->ny;
    const double speed = speed_of(spread.median, 1, cells, now.dtype).gcells_per_s;
    MethodSpeed noted{method, std::sqrt(cells), speed, {}};
    noted.steps_fused = method->steps_fused;
    keep({noted, now.dtype, false});
}

std::vector<MethodSpeed> Speeds::of(const RunSpec& now) const {
    std::vector<MethodSpeed> result;
    for (const bool of_suite : {true, false})
        for (const Tried& tried : tried_) {
            if (tried.of_suite != of_suite || tried.dtype != now.dtype ||
                name_of(tried.speed.method->device) != now.backend)
                continue;
            if (std::ranges::none_of(result,
                                     [&](const auto& speed) { return same_case(speed, tried.speed); }))
                result.push_back(tried.speed);
        }
    return result;
}

void Speeds::begin_suite(const RunSpec& now, const Machine& machine, bool running) {
    SuiteSpec spec;
    spec.run.dtype = now.dtype;
    spec.run.use_model(now.model);
    spec.run.boundary = now.boundary;
    spec.run.parameters = now.parameters;
    spec.run.allow_unstable = now.allow_unstable;
    spec.run.backend = now.backend;
    spec.run.threads = now.threads;
    spec.run.memory_limit = now.memory_limit;
    spec.sizes = {*now.size};
    spec.repeats = kMinRepeats;
    spec.repeat_seconds = kRepeatSeconds;
    spec = resolve(spec, machine);
    const bool known = limits_.copy_gb_per_s > 0 && limits_.instructions_per_second > 0;
    suite_ = std::make_unique<Suite>(spec, machine, known ? std::optional(limits_) : std::nullopt);
    runs_after_suite_ = running;
}

bool Speeds::end_suite() {
    for (const MethodSpeed& speed : speeds_of(suite_->rows())) keep({speed, suite_->spec().run.dtype, true});
    suite_.reset();
    return runs_after_suite_;
}

}  // namespace stencil
