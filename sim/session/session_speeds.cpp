// What the window knows of speeds: the machine's limits, what the methods reached in this session, and the
// ladder, measured while the run stands still.
#include <algorithm>
#include <cmath>

#include "sim/session/session.h"

namespace stencil {
namespace {

// Shorter than the command line's: between them frames are drawn and orders heard.
constexpr double kRepeatSeconds = 0.03;
// Batches after which their median is taken for the method's speed.
constexpr std::size_t kTellingBatches = 8;

}  // namespace

// One piece a frame while the run goes on, so that nothing waits for it.
bool Session::limits_are_due() const {
    return limits_wanted_ && !ladder_ && frame_ && (settled() || limits_at_ != frame_->count);
}

void Session::measure_limits() {
    const RunSpec& now = simulation_->now();
    const Device device = method_of(now)->device;
    limits_at_ = frame_->count;
    dirty_ = true;
    if (limits_.copy_gb_per_s == 0) {
        if (!copies_)
            copies_ = std::make_unique<CopyBandwidth>(
                device,
                now.threads,
                device == Device::cpu ? CopyBandwidth::Piece::slice : CopyBandwidth::Piece::whole);
        copies_->work();
        if (!copies_->done()) return;
        limits_.copy_gb_per_s = copies_->fastest();
        copies_.reset();
        return;
    }
    if (!issue_) issue_ = std::make_unique<IssueRate>(device, now.dtype, now.threads);
    issue_->work();
    if (!issue_->done()) return;
    limits_.instructions_per_second = issue_->fastest();
    issue_.reset();
    limits_wanted_ = false;
}

// Of another device (its copies, too) or another precision.
void Session::forget_limits(bool of_copies) {
    const bool measured = limits_wanted_ || limits_.copy_gb_per_s > 0;
    limits_.instructions_per_second = 0;
    issue_.reset();
    if (of_copies) {
        limits_.copy_gb_per_s = 0;
        copies_.reset();
    }
    limits_wanted_ = measured;
}

// The newest speed of the present method, in place of the one before.
void Session::note_speed() {
    const RunSpec& now = simulation_->now();
    const Timings::Spread spread = recent_.spread();
    if (spread.batches < kTellingBatches) return;
    const double cells = double(now.size->nx) * now.size->ny;
    const Method* method = method_of(now);
    if (method->jumps) return;
    const MethodSpeed speed{
        method, std::sqrt(cells), speed_of(spread.median, 1, cells, now.dtype).gcells_per_s, {}};
    const auto same = std::ranges::find_if(tried_, [&](const TriedSpeed& tried) {
        return !tried.of_ladder && tried.dtype == now.dtype && tried.speed.method == speed.method &&
               tried.speed.edge == speed.edge;
    });
    if (same == tried_.end())
        tried_.push_back({speed, now.dtype, false});
    else
        same->speed = speed;
}

// A ladder's figure counts where there is one.
std::vector<MethodSpeed> Session::speeds() const {
    const RunSpec& now = simulation_->now();
    std::vector<MethodSpeed> result;
    for (const bool of_ladder : {true, false})
        for (const TriedSpeed& tried : tried_) {
            if (tried.of_ladder != of_ladder || tried.dtype != now.dtype ||
                name_of(tried.speed.method->device) != now.backend)
                continue;
            const auto same = [&](const MethodSpeed& speed) {
                return speed.method == tried.speed.method && speed.edge == tried.speed.edge;
            };
            if (std::ranges::none_of(result, same)) result.push_back(tried.speed);
        }
    return result;
}

void Session::handle(const action::MeasureLadder&) {
    const RunSpec& now = simulation_->now();
    LadderSpec spec;
    spec.run.dtype = now.dtype;
    spec.run.boundary = now.boundary;
    spec.run.model = now.model;
    spec.run.parameters = now.parameters;
    spec.run.allow_unstable = now.allow_unstable;
    spec.run.backend = now.backend;
    spec.run.threads = now.threads;
    spec.run.memory_limit = now.memory_limit;
    spec.sizes = {*now.size};
    spec.repeats = kMinRepeats;
    spec.repeat_seconds = kRepeatSeconds;
    spec = resolve(spec, *machine_);
    const bool known = limits_.copy_gb_per_s > 0 && limits_.instructions_per_second > 0;
    ladder_ = std::make_unique<Ladder>(spec, *machine_, known ? std::optional(limits_) : std::nullopt);
    runs_after_ladder_ = running_;
    running_ = false;
    target_ = simulation_->step();
    order_.clear();
}

void Session::climb_ladder() {
    dirty_ = true;
    ladder_->work();
    if (ladder_->done()) end_ladder("");
}

// What was measured counts even where it was left unfinished.
void Session::end_ladder(const std::string& why) {
    const DType dtype = ladder_->spec().run.dtype;
    for (const MethodSpeed& speed : speeds_of(ladder_->rows())) {
        std::erase_if(tried_, [&](const TriedSpeed& tried) {
            return tried.of_ladder && tried.dtype == dtype && tried.speed.method == speed.method &&
                   tried.speed.edge == speed.edge;
        });
        tried_.push_back({speed, dtype, true});
    }
    ladder_.reset();
    running_ = runs_after_ladder_;
    if (!why.empty()) message(Message::Level::notice, why);
}

}  // namespace stencil
