#include "sim/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/distributed/distributed_solver.h"
#include "sim/model/equations.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/run/stability.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

constexpr auto kAsksAgain = std::chrono::milliseconds(20);

}  // namespace

Session::Session(const RunSpec& asked, const SessionOptions& options)
    : machine_(std::make_shared<Machine>(query_machine())),
      cut_(options.cut),
      speeds_(options.measure_limits) {
    pace_.running = options.running;
    pace_.steps_per_frame = options.steps_per_frame;
    pace_.most_auto = options.most_auto;
    begin(asked);
    if (!why_not_run().empty()) pace_.running = false;
    take_extras(asked);
    if (options.stop_at) handle(action::StopAt{options.stop_at});
}

void Session::take_probes(const RunSpec& spec) {
    measures_ = Measures();
    measured_of_ = simulation_->now().shown();
    const Size size = *simulation_->now().size;
    for (const RunSpec::Cell& cell : spec.probes) measures_.add_probe(cell.x, cell.y, size.nx, size.ny);
}

void Session::begin(const RunSpec& asked) {
    const auto machine = std::make_shared<Machine>(query_machine());
    RunSpec spec = resolve(asked, *machine, pace_.steps_per_call());
    RunSpec without_files = spec;  // exports are checked when they are written
    without_files.exports.clear();
    check_resources(without_files, *machine);
    auto start = make_origin(spec);
    auto next = std::make_unique<Simulation>(spec, std::move(start));
    machine_ = machine;
    auto_.on = asked.method == "auto";
    replace(std::move(next));
}

// Replaces the run by another; undo brings it back.
void Session::begin_another(const RunSpec& asked, const std::string& what) {
    remember(what, Scope::run);
    begin(asked);
}

// A run of its own brings what belongs to it, and ends where the one before stopped no more.
void Session::take_extras(const RunSpec& spec) {
    handle(action::StopAt{});
    take_probes(spec);
    take_bookmarks(spec);
}

// In the background, so that the user can cancel it: a single call of FFTW may take seconds, and ends by
// itself then.
std::shared_ptr<const RowSource> Session::make_origin(RunSpec& spec) {
    if (auto recipe = start_in_place(spec)) return recipe;
    if (!cut_) return in_memory(make_start(spec));
    making_field_ = true;
    wait_for_start();  // an abandoned one
    starts_.start([spec](const std::stop_token& stop) mutable -> std::optional<Start> {
        State state = make_start(spec);
        if (stop.stop_requested()) return std::nullopt;
        return Start{std::move(spec), std::move(state)};
    });
    wait_for_start();
    making_field_ = false;
    auto [known, state] = starts_.get().value();
    spec = std::move(known);
    return in_memory(std::move(state));
}

void Session::wait_for_start() {
    do {
        dirty_ = true;
        if (!cut_()) continue;
        starts_.cancel();
        making_field_ = false;
        throw std::runtime_error("Stopped: nothing was changed");
    } while (!starts_.wait_for(kAsksAgain));
}

void Session::replace(std::unique_ptr<Simulation> next) {
    simulation_ = std::move(next);
    recorder_.another_run();
    simulation_->expect(kMaxSteps);  // an interactive run has no known end
    history_.timeline.clear();
    history_.tip.reset();
    history_.forget_bookmarks_ahead(step());
    went_back();
    keep_state(true);
}

// The state was replaced by one of an earlier step: drop all later measurements.
void Session::went_back() {
    pace_.stand(step());
    after_jump_.clear();
    messages_.settle(kOfRun);
    measures_.rewind(step() - 1);
    field_changed(true);
}

void Session::field_changed(bool another_field) {
    views_.field_changed();
    dirty_ = true;
    if (!another_field) return;
    for (Reference* other : others_) other->forget();
    views_.forget();
    limit_watch_ = LimitWatch(true);
    limit_version_ = 0;
    changed_by_hand_ = true;
    pace_.recent = Timings(64);
    statistics_cadence_.reset();
    measures_.resize(simulation_->now().size->nx, simulation_->now().size->ny);
}

void Session::set_view(const ViewRequest& request) {
    const bool watched = watches_mosaic();
    views_.look(request);
    // Tiles run while the run is at an earlier step, which goes on from there only by hand.
    if (watched && !watches_mosaic() && history_.tip) pace_.stop(step());
    if (!views_.wants(Pane::from_reference)) reference_.release();
    if (!views_.wants(Pane::run_b)) run_b_.release();
}

bool Session::settled() const {
    return !pace_.running && !steps_left() && !is_behind();
}

bool Session::frame_is_due() const {
    return views_.due({settled(), steps_left() || is_behind(), !pace_.order.empty()});
}

bool Session::batch_is_due() const {
    return pace_.running && !watches_mosaic() && !steps_left() && views_.shows_field() && views_.was_taken();
}

// While the tiles are watched, they are stepped in place of the run, from frame to frame.
bool Session::mosaic_is_due() const {
    return watches_mosaic() && mosaic_->busy(pace_.running) && views_.shows_field() && views_.was_taken();
}

bool Session::is_missing() const {
    return (views_.wants(Pane::from_reference) && reference_.missing()) ||
           (views_.wants(Pane::run_b) && run_b_values_ && run_b_.missing());
}

Reference* Session::missing() {
    if (!is_missing()) return nullptr;
    return views_.wants(Pane::from_reference) && reference_.missing() ? &reference_ : &run_b_;
}

Reference* Session::behind() {
    for (Reference* other : others_)
        if (other->behind(step())) return other;
    return nullptr;
}

bool Session::busy() const {
    return steps_left() || is_behind() || is_missing() || batch_is_due() || mosaic_is_due() ||
           frame_is_due() || limits_are_due() || speeds_.suite();
}

void Session::work() {
    try {
        if (exporter_.busy()) dirty_ = true;
        if (const auto outcome = exporter_.poll()) handle(*outcome);
        follow_fit();
        if (Reference* other = missing()) make_other_run(*other);
        work_a_slice();
        if (frame_is_due()) make_frame();
    } catch (const std::bad_alloc&) {
        stop("Not enough memory: use a smaller size");
    } catch (const std::exception& error) {
        const auto& kernel = simulation_->now().kernel;
        stop(!kernel
                 ? error.what()
                 : fmt::format("{}: {}; a GPU that a kernel has failed on is lost to the program until it is "
                               "started again",
                               kernel->name,
                               error.what()));
    }
}

void Session::work_a_slice() {
    if (limits_are_due()) {
        speeds_.measure_limits(simulation_->now(), views_.frame()->count);
        dirty_ = true;
    }
    if (speeds_.suite()) {
        dirty_ = true;
        speeds_.suite()->work();
        if (speeds_.suite()->done()) end_suite("");
    } else if (Reference* other = behind()) {
        other->catch_up(*simulation_);
        if (!is_behind()) views_.field_changed();
        dirty_ = true;
    } else if (mosaic_is_due()) {
        step_tiles();
    } else {
        if (batch_is_due()) begin_batch();
        if (steps_left()) do_slice();
    }
}

// Pauses after a failure that every frame would repeat, and counts the frame as made.
void Session::stop(const std::string& why) {
    pace_.stop(step());
    speeds_.drop_suite();
    views_.fail();
    messages_.error(why, std::string(kOfRun));
}

void Session::begin_batch() {
    pace_.begin_batch(step(), step_cost());
    const RunSpec& now = simulation_->now();
    if (auto_.on) change_method(auto_.for_frame(*method_of(now), request_for(now, pace_.target - step())));
}

void Session::do_slice() {
    const auto begin = Pace::Clock::now();
    const Timings& timings = simulation_->timings();
    const double before = timings.total_seconds();
    const long long step_before = step(), steps_before = timings.total_steps();
    const Solver* solver = &simulation_->solver();
    const std::string method = simulation_->now().method;
    const auto note = [&](Simulation&) {
        // A scheduled edit set the method, so `auto` ends.
        if (!history_.tip && simulation_->now().method != method) auto_.on = false;
        const long long steps = step() - step_before;
        const bool same = &simulation_->solver() == solver && timings.total_steps() == steps_before + steps;
        const double wall = std::chrono::duration<double>(Pace::Clock::now() - begin).count();
        pace_.note_slice(same ? timings.total_seconds() - before : wall, wall, steps);
        if (!simulation_->now().kernel) speeds_.note(simulation_->now(), pace_.recent);
        // A scheduled edit may have replaced the solver, for another size or method.
        field_changed(&simulation_->solver() != solver);
    };
    const Observer observers[]{
        after_slices(note),
        at_multiples(history_.tip ? 0 : recorder_.every(), [this](Simulation&) { record(); }),
        after_slices([this](Simulation&) { keep_state(false); }),
        {[this](const RunClock& clock) { return Due{history_.next_bookmark(clock.step)}; },
         [this](Simulation&) { keep_bookmarks(); }},
        pace_.running ? stop_.observer() : at_multiples(0, nullptr)};
    // A frame in mid-run looks for values that are not finite only now and then.
    const bool pauses = !pace_.running || (pace_.stop_at && pace_.stop_at->steps == pace_.target);
    Until until{pauses ? pace_.target : kMaxSteps};
    const bool watches = !simulation_->now().allow_overflow;
    if (watches) until.watch = &finite_watch_;
    if (watches && std::exchange(changed_by_hand_, false)) finite_watch_.begin(*simulation_);
    if (pace_.running && pace_.stop_at && pace_.stop_at->time) {
        const double end = end_time(*simulation_, *pace_.stop_at->time);
        if (!is_at(simulation_->time(), end, simulation_->next_dt())) until.time = end;
    }
    if (!watches || !finite_watch_.found())
        advance_slice(
            *simulation_, until, observers, std::min(slice_steps(step_cost()), pace_.target - step()));
    if (watches && finite_watch_.found()) return tell_not_finite();
    const RunClock now = clock_of(*simulation_);
    const bool stops = (pace_.running && stop_.met()) || is_at(now.time, until.time, now.dt);
    if (steps_left() && !stops) return;
    step_again();
    stop_.forget();
    if (pace_.finish(step(), stops)) say(fmt::format("Stopped at step {} (Stop at)", step()));
}

void Session::record() {
    try {
        recorder_.look(*simulation_);
        if (recorder_.full()) finish_recording();
    } catch (const std::exception& error) {
        messages_.error(error.what());
    }
}

void Session::make_other_run(Reference& other) {
    dirty_ = true;
    try {
        other.make(*simulation_, start_maker());
    } catch (const std::exception& error) {
        messages_.error(fmt::format(
            "{}: {}", &other == &run_b_ ? "No run B" : "No float64 run to compare with", error.what()));
    }
}

void Session::make_frame() {
    const double measuring = watches_mosaic() ? 0 : measure_field();
    // Only runs at the same step can be compared.
    const auto level = [this](const Reference& other) {
        return other.behind(step()) ? nullptr : other.run();
    };
    const bool stepped = views_.make({simulation_.get(),
                                      level(reference_),
                                      level(run_b_),
                                      mosaic_.get(),
                                      fit_.view().get(),
                                      history_.compared_fields(simulation_->now()),
                                      &measures_.rows(),
                                      0,
                                      steps_left(),
                                      settled() || views_.request().exact});
    dirty_ = true;
    if (watches_mosaic()) return;
    views_.note_cost(measuring);
    if (!stepped || steps_left()) return;
    if (pace_.seconds > 0) {
        stepping_ms_.add(pace_.seconds * 1e3);
        waiting_ms_.add(pace_.waiting * 1e3);
    }
    if (!pace_.ordered) pace_.last_batch = step() - pace_.from;
    pace_.seconds = pace_.waiting = 0;
}

// Updates statistics and probes of the field; returns the seconds spent.
double Session::measure_field() {
    const bool at_once = settled() || views_.request().exact, due = at_once || statistics_cadence_.due();
    watch_limit(at_once);
    if (measured_version_ == views_.version() || !due) return 0;
    if (shows_another()) measure_anew();
    Statistics statistics;
    const double seconds = statistics_cadence_.spend([&] {
        statistics = measures_.add(step(), simulation_->solver(), simulation_->shown());
        measures_.add_row(step(), simulation_->solver(), simulation_->shown(), *simulation_->now().size);
    });
    measured_version_ = views_.version();
    return seconds;
}

// Restarts the probes with the observable now shown.
void Session::measure_anew() {
    RunSpec spec = simulation_->now();
    add_measures(spec);
    take_probes(spec);
    if (history_.tip) history_.tip_measures = measures_;
}

void Session::watch_limit(bool at_once) {
    if (limit_version_ == views_.version()) return;
    const auto before = limit_watch_.newest();
    if (std::string told = limit_watch_.look(*simulation_, at_once); !told.empty())
        messages_.notice(std::move(told));
    if (limit_watch_.newest() != before) limit_version_ = views_.version();
}

// The run was taken back to the first such step.
void Session::tell_not_finite() {
    const LimitWatch known = limit_watch_;
    step_again();
    history_.timeline.cut(step() + 1);
    went_back();
    pace_.stop(step());
    limit_watch_ = known;
    const double dt = simulation_->now().time_step();
    const bool exceeds = known.newest() && verdict(dt, known.newest()->limit) == StepVerdict::unstable;
    messages_.error(fmt::format("{}{}. Undo or Reset, then use {}",
                                finite_watch_.found()->text(),
                                exceeds ? ": " + stability_text(dt, known.newest()->limit) : "",
                                exceeds ? "a smaller dt" : "other parameters or a smaller dt"),
                    std::string(kOfRun));
}

std::string Session::why_not_run() const {
    return simulation_->now().model->equations->steady
               ? "Solved: nothing in the equations changes with time, so there are no steps to make"
               : "";
}

}  // namespace stencil
