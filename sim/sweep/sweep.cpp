#include "sim/sweep/sweep.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numbers>
#include <ranges>
#include <utility>
#include <variant>

#include "kernels/equation/batch/batch_stepper.h"
#include "kernels/equation/operations.h"
#include "kernels/methods/spectral/fftw.h"
#include "sim/distributed/distributed_solver.h"
#include "sim/field/field_hash.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/problem/start.h"
#include "sim/problem/unstable_step.h"
#include "sim/run/batch.h"
#include "sim/run/finite_watch.h"
#include "sim/run/gpu_batches.h"
#include "sim/run/output/fastest_wave.h"
#include "sim/run/output/spectrum.h"
#include "sim/run/resolve.h"
#include "sim/run/stop_condition.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Runs in progress for each thread: enough that none waits long for the others' slices.
constexpr std::size_t kRunsOfThread = 2;
// Larger fields fill a machine by themselves, unless there are runs for all of its threads.
constexpr double kCellsOfThread = 1 << 18;
// Runs that a GPU steps together, at most, and the seconds of a slice of theirs: their cells are copied to
// the GPU and back for each slice.
constexpr std::size_t kRunsOfGpu = 1 << 14;
constexpr double kCellsOfGpu = 1 << 20;  // larger fields fill a GPU by themselves
constexpr double kSecondsOfGpu = 2;
constexpr long long kFirstOfGpu = 256;  // steps, at least, while the cost is unknown
// Operations that a lane makes in a second, about, by which the first slice is as long as those behind it.
constexpr double kOperationsOfLane = 8e8;

// Whether a GPU steps such runs together. Then `cells_per_second` is about what it makes.
bool goes_together(const RunSpec& base,
                   const RunSpec& resolved,
                   const Machine& machine,
                   double& cells_per_second) {
    if (!machine.has_cuda() || base.backend == "cpu" || base.method != "auto" || base.kernel ||
        !resolved.is_general() || std::holds_alternative<ByTolerance>(resolved.dt) ||
        double(resolved.size->nx) * resolved.size->ny > kCellsOfGpu)
        return false;
    const bool float64 = resolved.dtype == DType::float64;
    const auto program =
        planned_equations(resolved)->step(resolved.integrator, float64, resolved.time_step());
    // Of transforms it is not known.
    const GpuFacts gpu = gpu_facts();
    if (!equation::couples_all_cells(*program))
        cells_per_second = kOperationsOfLane * gpu.lanes() * gpu.multiprocessors /
                           (equation::operations_of_cell(*program) * (float64 ? gpu.float64_cost : 1));
    // The states stay with steppers on the CPU.
    const bool transforms_there = program->linear.empty() ||
                                  (why_no_fftw(sizeof(float)).empty() && why_no_fftw(sizeof(double)).empty());
    return transforms_there &&
           equation::why_no_batch(*program, float64, {resolved.size->nx, resolved.size->ny}).empty();
}

// A run whose steps a GPU makes keeps its state on the CPU.
RunSpec kept_on_cpu(RunSpec spec) {
    spec.backend = "cpu";
    spec.threads = 1;
    return spec;
}

double wavelength_of(const Field& field, const RunSpec& now) {
    if (!why_no_spectrum().empty()) return kNoNumber;
    const RadialSpectrum spectrum = spectrum_of(field, now);
    const auto strongest = std::ranges::max_element(spectrum.power);
    if (strongest == spectrum.power.end() || !(*strongest > 0)) return kNoNumber;
    return 2 * std::numbers::pi / spectrum.wave_number[std::size_t(strongest - spectrum.power.begin())];
}

double growth_of(const RunSpec& now, const std::vector<Statistics>& statistics, double time) {
    if (!why_no_dispersion(now).empty()) return kNoNumber;
    std::vector<double> means;
    for (const Statistics& each : statistics) means.push_back(each.mean);
    const auto fastest = fastest_wave(now, means, time);
    return fastest ? fastest->rate : kNoNumber;
}

}  // namespace

struct Sweep::Live {
    explicit Live(std::size_t run) : index(run) {}

    std::size_t index;
    std::unique_ptr<Simulation> simulation = nullptr;
    StopCondition condition{""};
    FiniteWatch watch = {};
    std::vector<Observer> observers = {};
    Until until = {};
    Slice slice = {};

    /// `alike` runs have this one's text.
    void begin(RunSpec spec, const Machine& machine, std::size_t alike);
    bool has_ended() const { return until.is_reached(clock_of(*simulation)); }
    std::string ended_by() const;
};

void Sweep::Live::begin(RunSpec spec, const Machine& machine, std::size_t alike) {
    if (spec.model->equations->steady) static_cast<Ending&>(spec) = {0};
    spec = resolve(std::move(spec), machine);
    State start = make_start(spec);
    simulation = std::make_unique<Simulation>(spec, std::move(start));
    require_condition(*spec.model, spec.until);
    condition = StopCondition(spec.until);
    observers = {condition.observer()};
    until = {.step = spec.steps,
             .stops = [this] { return condition.met(); },
             .watch = spec.allow_overflow ? nullptr : &watch};
    if (spec.time) until.time = end_time(*simulation, *spec.time);
    // Rows that all runs share are compiled where that is worth it for all.
    const double steps =
        double(spec.likely_steps()) * double(method_of(spec)->device == Device::cpu ? alike : 1);
    simulation->expect(static_cast<long long>(std::min(steps, double(kMaxSteps))));
    condition.begin(*simulation);
    if (until.watch) until.watch->begin(*simulation);
}

std::string Sweep::Live::ended_by() const {
    const RunClock end = clock_of(*simulation);
    if (watch.found()) return "not finite";
    if (condition.met()) return "until";
    if (is_at(end.time, until.time, end.dt)) return "time";
    return end.step >= until.step ? "steps" : "";
}

Sweep::Sweep(SweepSpec spec, const Machine& machine, std::size_t at_once)
    : spec_(std::move(spec)), machine_(machine) {
    spec_.validate();
    RunSpec base = spec_.base;
    base.exports.clear();
    base.every = base.checkpoint = Interval();
    resolved_ = resolve(base, machine);
    require_condition(*resolved_.model, resolved_.until);
    check_resources(resolved_, machine);
    runs_.resize(spec_.count());
    for (std::size_t i = 0; i < runs_.size(); ++i) waiting_.push_back(i);
    alike_ = runs_.size();
    for (const Vary& one : spec_.vary)
        if (changes_text(one.name)) alike_ = std::max<std::size_t>(1, alike_ / one.values.size());
    spec_.base = base;
    spec_.base.size = resolved_.size;
    spec_.base.backend = resolved_.backend;
    if (runs_.size() > 1 && goes_together(base, resolved_, machine, cells_per_second_)) {
        gpu_ = std::make_unique<GpuBatches>();
        resolved_ = resolve(kept_on_cpu(spec_.base), machine);
    }
    const double cells = double(resolved_.size->nx) * resolved_.size->ny;
    const int threads = batch_threads(base.threads, machine.cpu_threads, runs_.size());
    const bool spreads = method_of(resolved_)->device == Device::cpu &&
                         (gpu_ || cells <= kCellsOfThread || threads < int(runs_.size()));
    threads_ = std::make_unique<ThreadPool>(spreads ? threads : 1);
    if (spreads) spec_.base.threads = resolved_.threads = 1;
    const MemoryNeeds needs = run_needs(resolved_);
    const MemoryLimits limits = memory_limits(machine, resolved_.memory_limit);
    const double room = std::max(1.0, limits.host / std::max(needs.host * cells, 1.0));
    if (at_once == 0)
        at_once = gpu_ ? kRunsOfGpu : spreads ? kRunsOfThread * std::size_t(threads_->size()) : 1;
    at_once_ = std::size_t(std::min(double(at_once), room));
}

Sweep::~Sweep() = default;

Simulation* Sweep::simulation(std::size_t index) const {
    const auto found = std::ranges::find(live_, index, [](const auto& live) { return live->index; });
    return found == live_.end() ? nullptr : (*found)->simulation.get();
}

void Sweep::take(std::size_t index, SweptRun known) {
    runs_[index] = std::move(known);
    ++ended_;
}

std::vector<std::size_t> Sweep::take_waiting() {
    std::vector<std::size_t> runs;
    for (const std::size_t run : std::exchange(waiting_, {}))
        if (!runs_[run].ended()) runs.push_back(run);
    return runs;
}

void Sweep::give(std::span<const std::size_t> runs) {
    waiting_.insert(waiting_.end(), runs.begin(), runs.end());
}

std::size_t Sweep::room() const {
    const std::size_t taken = in_progress() + waiting_.size();
    return at_once_ - std::min(at_once_, taken);
}

void Sweep::begin_more() {
    std::vector<std::unique_ptr<Live>> fresh;
    for (; !waiting_.empty() && in_progress() + fresh.size() < at_once_; waiting_.pop_front())
        if (!runs_[waiting_.front()].ended()) fresh.push_back(std::make_unique<Live>(waiting_.front()));
    const auto failures = for_each_apart(fresh.size(), *threads_, [&](std::size_t i) {
        Live& live = *fresh[i];
        try {
            const RunSpec spec = spec_.run(live.index);
            live.begin(gpu_ ? kept_on_cpu(spec) : spec, machine_, gpu_ ? 1 : alike_);
        } catch (const UnstableStep& error) {
            throw InputError("unstable: {}", error.what());
        }
    });
    std::vector<std::size_t> failed;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        SweptRun& run = runs_[fresh[i]->index];
        run.status = failures[i].empty() ? "running" : failures[i];
        if (failures[i].empty())
            live_.push_back(std::move(fresh[i]));
        else
            failed.push_back(fresh[i]->index);
    }
    end(failed);
}

void Sweep::end(std::span<const std::size_t> runs) {
    ended_ += runs.size();
    if (on_end && !runs.empty()) on_end(runs);
}

std::size_t Sweep::in_progress() const {
    return std::size_t(
        std::ranges::count_if(live_, [&](const auto& live) { return !runs_[live->index].ended(); }));
}

std::string Sweep::way() const {
    return gpu_ ? gpu_->way() : "";
}

void Sweep::advance(const SliceLimits& given) {
    begin_more();
    SliceLimits limits = given;
    if (gpu_ && given.seconds >= kLongSlices.seconds) {
        limits.seconds = std::max(given.seconds, kSecondsOfGpu);
        const double cells = double(in_progress()) * resolved_.size->nx * resolved_.size->ny;
        limits.first =
            static_cast<long long>(std::clamp(limits.seconds * cells_per_second_ / std::max(cells, 1.0),
                                              double(std::max(given.first, kFirstOfGpu)),
                                              double(kMaxSteps)));
    }
    const double sharing = gpu_ ? double(in_progress()) : 1;  // each has its share of a batch's seconds
    step_each([&](const Simulation& simulation) {
        StepCost cost = step_cost(*method_of(simulation.now()), simulation.timings());
        cost.seconds_per_step *= sharing;
        return slice_steps(cost, limits);
    });
}

void Sweep::approach(long long step, long long most, std::size_t begins) {
    at_once_ = in_progress() + begins;
    begin_more();
    step_each([&](const Simulation& simulation) { return std::clamp(step - simulation.step(), 0LL, most); });
}

void Sweep::step_each(const std::function<long long(const Simulation&)>& most) {
    std::vector<Live*> live;
    std::vector<Simulation*> simulations;
    for (const auto& each : live_)
        if (!runs_[each->index].ended()) {
            live.push_back(each.get());
            simulations.push_back(each->simulation.get());
        }
    std::vector<Advance> advances;
    const double runs_of_thread = double(live.size()) / threads_->size();
    for (Live* each : live) {
        Simulation& simulation = *each->simulation;
        each->watch.share_time(runs_of_thread);
        if (each->has_ended()) {  // before its first step
            each->slice = {{0}, {}};
            advances.push_back(each->slice.advance);
            continue;
        }
        each->slice = next_slice(simulation, each->until, each->observers, most(simulation));
        advances.push_back(each->slice.advance);
    }
    std::vector<std::string> failures = Batch(simulations, {*threads_, gpu_.get()}).advance(advances);
    std::vector<std::exception_ptr> thrown(live.size());  // by on_measured, which is no failure of a run
    const auto looks = for_each_apart(live.size(), *threads_, [&](std::size_t i) {
        if (!failures[i].empty()) return;
        Live& each = *live[i];
        look_after(*each.simulation, each.until, each.observers, each.slice);
        if (!each.has_ended()) return;
        runs_[each.index] = measured(each);
        try {
            if (on_measured) on_measured(each.index, *each.simulation);
        } catch (...) {
            thrown[i] = std::current_exception();
        }
    });
    for (const std::exception_ptr& one : thrown)
        if (one) std::rethrow_exception(one);
    std::vector<std::size_t> ended;
    for (std::size_t i = 0; i < live.size(); ++i) {
        const std::string& failure = failures[i].empty() ? looks[i] : failures[i];
        SweptRun& run = runs_[live[i]->index];
        if (!failure.empty()) {
            run = {};
            run.status = failure;
        }
        if (run.ended()) ended.push_back(live[i]->index);
    }
    end(ended);
    if (!keeps) std::erase_if(live_, [&](const auto& each) { return runs_[each->index].ended(); });
}

SweptRun Sweep::look(std::size_t index) {
    const auto found = std::ranges::find(live_, index, [](const auto& live) { return live->index; });
    return found == live_.end() ? runs_[index] : measured(**found);
}

SweptRun Sweep::measured(Live& live) const {
    Simulation& simulation = *live.simulation;
    Solver& solver = simulation.solver();
    SweptRun run;
    run.ended_by = live.ended_by();
    run.status = live.watch.found() ? live.watch.found()->text() : run.ended_by.empty() ? "running" : "done";
    run.steps = simulation.step();
    run.time = simulation.time();
    run.dt = simulation.next_dt();
    run.seconds = simulation.timings().total_seconds();
    run.field_hash = hash_in_place(solver);
    for (const Component& component : simulation.now().model->components)
        run.statistics.push_back(solver.statistics(component.name));
    run.wavelength = wavelength_of(simulation.field(), simulation.now());
    run.growth = growth_of(simulation.now(), run.statistics, run.time);
    for (const std::string& formula : spec_.observe)
        run.observed.push_back(solver.sample(formula, {{{0.5, 0.5}}}, false).front());
    return run;
}

}  // namespace stencil
