#include "sim/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/initial/initial.h"
#include "sim/run/next_edit.h"
#include "sim/run/resolve.h"
#include "sim/run/settings.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Beyond this a field that grows without bound counts as overflowed, before its squares do.
constexpr double kOverflow = 1e30;
constexpr auto kOrderFrames = std::chrono::milliseconds(100);
constexpr std::size_t kMaxMessages = 50;

bool wants(const ViewRequest& view, Pane pane) {
    return std::ranges::any_of(view.panes, [&](const PaneRequest& request) { return request.pane == pane; });
}

bool is_shape_edit(const Edit& edit) {
    return kind_of(edit.setting) == SettingKind::shape;
}

StepCost cost_of(const Simulation& simulation, const Timings& timings) {
    const Method& method = *method_of(simulation.now());
    return {timings.spread().median, method.steps_at_a_time, method.jumps};
}

}  // namespace

Session::Session(const RunSpec& asked, const SessionOptions& options)
    : machine_(std::make_shared<Machine>(query_machine())),
      running_(options.running),
      stop_at_(options.stop_at),
      steps_per_frame_(options.steps_per_frame),
      limits_wanted_(options.measure_limits) {
    begin(asked);
    take_probes(asked);
}

void Session::take_probes(const RunSpec& spec) {
    measures_ = Measures();
    const Size size = *simulation_->now().size;
    for (const RunSpec::Cell& cell : spec.probes) measures_.add_probe(cell.x, cell.y, size.nx, size.ny);
}

void Session::begin(const RunSpec& asked) {
    const auto machine = std::make_shared<Machine>(query_machine());
    RunSpec spec = resolve(asked, *machine, steps_per_call());
    RunSpec without_files = spec;  // what is written is checked when it is
    without_files.exports.clear();
    check_resources(without_files, *machine);
    Field start = make_start(spec);
    auto next = std::make_unique<Simulation>(spec, std::move(start));
    machine_ = machine;
    auto_method_ = asked.method == "auto";
    replace(std::move(next));
}

void Session::replace(std::unique_ptr<Simulation> next) {
    simulation_ = std::move(next);
    target_ = simulation_->step();
    order_.clear();
    measures_.rewind(simulation_->step() - 1);
    field_changed(true);
}

Field Session::origin() const {
    RunSpec spec = simulation_->spec();
    if (std::ranges::none_of(spec.edits, is_shape_edit)) return simulation_->start()->clone();
    return make_start(spec).to(spec.dtype);
}

void Session::field_changed(bool another_field) {
    ++version_;
    dirty_ = true;
    if (!another_field) return;
    reference_.reset();
    frame_maker_.forget();
    recent_ = Timings(64);
    statistics_cadence_.reset();
    measures_.resize(simulation_->now().size->nx, simulation_->now().size->ny);
}

void Session::message(Message::Level level, std::string text) {
    dirty_ = true;
    if (!messages_.empty() && messages_.back().text == text) return;
    messages_.push_back({level, next_message_++, std::move(text)});
    if (messages_.size() > kMaxMessages) messages_.erase(messages_.begin());
}

void Session::set_view(const ViewRequest& request) {
    view_ = request;
    if (!wants(view_, Pane::from_reference)) {
        reference_.reset();
        reference_refused_ = false;
    }
}

bool Session::settled() const {
    return !running_ && !steps_left() && !reference_behind();
}

bool Session::frame_was_taken() const {
    return !frame_ || taken_ >= frame_->count;
}

bool Session::frame_is_due() const {
    if (!frame_ || view_.serial != frame_->serial) return true;
    const bool moving = steps_left() || reference_behind();
    if (version_ != framed_version_) {
        if (!moving) return settled() || frame_was_taken();
        return !order_.empty() && frame_was_taken() && Clock::now() - last_frame_ >= kOrderFrames;
    }
    return settled() && frame_maker_.stale();
}

bool Session::batch_is_due() const {
    return running_ && !steps_left() && version_ == framed_version_ && frame_was_taken();
}

bool Session::busy() const {
    return steps_left() || reference_behind() || reference_missing() || batch_is_due() || frame_is_due() ||
           limits_are_due() || ladder_;
}

void Session::work() {
    try {
        poll_exporter();
        if (reference_missing()) make_reference();
        if (limits_are_due()) measure_limits();
        if (ladder_) {
            climb_ladder();
        } else if (reference_behind()) {
            catch_up_reference();
        } else {
            if (batch_is_due()) begin_batch();
            if (steps_left()) do_slice();
        }
        if (frame_is_due()) make_frame();
    } catch (const std::bad_alloc&) {
        stop("Not enough memory: a smaller size needs less");
    } catch (const std::exception& error) {
        stop(error.what());
    }
}

// A failure that would come again in every frame: the session stands still, and the frame counts as made.
void Session::stop(const std::string& why) {
    running_ = false;
    target_ = simulation_->step();
    order_.clear();
    ladder_.reset();
    framed_version_ = version_;
    message(Message::Level::error, why);
    auto empty = std::make_shared<Frame>(frame_ ? *frame_ : Frame{});
    empty->serial = view_.serial;
    frame_ = std::move(empty);
}

void Session::begin_batch() {
    const long long step = simulation_->step();
    long long steps = steps_per_frame_;
    if (steps == 0) steps = last_auto_ = paced_steps(step_cost(), budget_ms_, last_auto_);
    target_ = std::min(step + steps, kMaxSteps);
    if (stop_at_ && *stop_at_ > step) target_ = std::min(target_, *stop_at_);
    reconsider_method(target_ - step);
    order_from_ = step;
    ordered_ = false;
    batch_seconds_ = batch_waiting_ = 0;
    batch_begun_ = Clock::now();
}

StepCost Session::step_cost() const {
    return cost_of(*simulation_, recent_);
}

void Session::do_slice() {
    const long long step = simulation_->step();
    long long steps = std::min({slice_steps(step_cost()), target_ - step, steps_to_next_edit(*simulation_)});
    if (recorder_) steps = std::min(steps, recorder_spec_.every - step % recorder_spec_.every);
    const auto begin = Clock::now();
    const Timings& timings = simulation_->timings();
    const double before = timings.total_seconds();
    const long long steps_before = timings.total_steps();
    const Solver* solver = &simulation_->solver();
    const std::string method = simulation_->now().method;
    simulation_->apply(Advance{steps});
    if (simulation_->now().method != method) auto_method_ = false;  // an edit of the spec asked for another
    const bool same = &simulation_->solver() == solver && timings.total_steps() == steps_before + steps;
    const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
    const double seconds = same ? timings.total_seconds() - before : wall;
    recent_.add(seconds, steps);
    batch_seconds_ += seconds;
    batch_waiting_ += std::max(wall - seconds, 0.0);
    note_speed();
    // An edit of the spec may have brought another size or method with it.
    field_changed(&simulation_->solver() != solver);
    record_if_due();
    if (steps_left()) return;
    order_.clear();
    step_again();
    if (stop_at_ && simulation_->step() == *stop_at_) running_ = false;
}

bool Session::reference_missing() const {
    return wants(view_, Pane::from_reference) && !reference_ && !reference_refused_;
}

bool Session::reference_behind() const {
    return reference_ && reference_->step() < simulation_->step();
}

// The same run in float64 from its start, by the fastest method of the device or by the run's own where that
// jumps: it catches up.
void Session::make_reference() {
    try {
        RunSpec spec = simulation_->spec();
        std::erase_if(spec.edits.own(), [](const Edit& edit) {
            return kind_of(edit.setting) == SettingKind::device || edit.setting == "dtype";
        });
        spec.dtype = DType::float64;
        spec.backend = simulation_->now().backend;
        // What jumps gets too far ahead for steps to catch up.
        spec.method = method_of(simulation_->now())->jumps ? simulation_->now().method : "auto";
        const Machine machine = query_machine();
        spec = resolve(spec, machine);
        check_solver_memory(spec, machine);
        reference_ = std::make_unique<Simulation>(spec, origin());
        dirty_ = true;
    } catch (const std::exception& error) {
        reference_refused_ = true;
        message(Message::Level::error, fmt::format("No float64 run to compare with: {}", error.what()));
    }
}

void Session::catch_up_reference() {
    const StepCost cost = cost_of(*reference_, reference_->timings());
    reference_->apply(Advance{std::min(slice_steps(cost), simulation_->step() - reference_->step())});
    if (!reference_behind()) ++version_;
    dirty_ = true;
}

void Session::make_frame() {
    // A difference from a reference of another step would be no error.
    Simulation* reference = reference_behind() ? nullptr : reference_.get();
    const Moment moment{simulation_.get(), reference, version_, steps_left(), settled()};
    frame_ = frame_maker_.make(view_, moment);
    const bool stepped = framed_version_ != version_;
    framed_version_ = version_;
    last_frame_ = Clock::now();
    dirty_ = true;
    const double measured = measure_field();
    if (frame_maker_.resampling_seconds() > 0)
        costs_.resampling_ms.add(frame_maker_.resampling_seconds() * 1e3);
    costs_.measuring_ms.add((frame_maker_.measuring_seconds() + measured) * 1e3);
    if (!stepped || steps_left()) return;
    if (batch_seconds_ > 0) {
        costs_.stepping_ms.add(batch_seconds_ * 1e3);
        costs_.waiting_ms.add(batch_waiting_ * 1e3);
    }
    if (!ordered_) last_batch_ = simulation_->step() - order_from_;
    batch_seconds_ = batch_waiting_ = 0;
}

// Statistics and probes of the field; returns the seconds that they took.
double Session::measure_field() {
    const auto bound = simulation_->now().stability();
    const bool unstable = bound && bound->exceeded();
    if (measured_version_ == version_ || !(settled() || unstable || statistics_cadence_.due())) return 0;
    Statistics statistics;
    const double seconds = statistics_cadence_.spend(
        [&] { statistics = measures_.add(simulation_->step(), simulation_->solver()); });
    measured_version_ = version_;
    watch_for_overflow(statistics);
    return seconds;
}

void Session::watch_for_overflow(const Statistics& statistics) {
    const RunSpec& now = simulation_->now();
    const double largest = std::max(std::abs(statistics.min), std::abs(statistics.max));
    const bool overflowed = statistics.not_finite > 0 || largest > kOverflow;
    const auto bound = now.stability();
    if (!bound || !bound->exceeded() || !overflowed || settled()) return;
    running_ = false;
    target_ = simulation_->step();
    order_.clear();
    message(Message::Level::error,
            fmt::format("The field overflowed by step {}: {} {} is above the stability limit {}; set "
                        "it to {} or less, then reset or undo",
                        simulation_->step(),
                        bound->parameter->name,
                        bound->value,
                        bound->largest,
                        bound->largest));
}

void Session::record_if_due() {
    if (!recorder_ || simulation_->step() % recorder_spec_.every != 0) return;
    try {
        recorder_->write(simulation_->field(), simulation_->step());
    } catch (const std::exception& error) {
        recorder_.reset();
        message(Message::Level::error, fmt::format("Recording ended: {}", error.what()));
    }
}

void Session::poll_exporter() {
    if (const auto outcome = exporter_.poll()) {
        message(outcome->failed ? Message::Level::error : Message::Level::notice, outcome->text);
    }
}

}  // namespace stencil
