// Fills the snapshot of a session.
#include <fmt/format.h>

#include <chrono>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/machine/host_memory.h"
#include "sim/run/run_text.h"
#include "sim/session/session.h"

namespace stencil {
namespace {

constexpr auto kMemoryInterval = std::chrono::milliseconds(500);
// A longer batch shows its progress.
constexpr auto kLongBatch = std::chrono::milliseconds(500);

}  // namespace

std::shared_ptr<const Snapshot> Session::snapshot() {
    const bool compiled = snapshot_ && snapshot_->way.compiling && !simulation_->solver().way().compiling;
    if (!messages_.take_news() && !dirty_ && !compiled && snapshot_) return snapshot_;
    dirty_ = false;
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->spec = simulation_->spec();
    snapshot->spec.steps = step();
    add_measures(snapshot->spec);
    snapshot->now = simulation_->now();
    snapshot->text = text_of_run(snapshot->now, sets_dt_);
    snapshot->auto_method = auto_.on;
    snapshot->machine = machine_;
    snapshot->device = device_name(*machine_, method_of(snapshot->now)->device, snapshot->now.threads);
    fill_progress(*snapshot);
    fill_numbers(*snapshot);
    snapshot->history = history_old_ || !snapshot_ ? history_.shown(simulation_->now()) : snapshot_->history;
    history_old_ = false;
    if (!snapshot->history->done.empty()) snapshot->can_undo = snapshot->history->done.back();
    if (!snapshot->history->undone.empty()) snapshot->can_redo = snapshot->history->undone.back();
    snapshot->end_step = history_.tip ? history_.tip->step : step();
    snapshot->kept_steps = history_.timeline.steps();
    snapshot->kept_bytes = double(history_.timeline.bytes());
    snapshot->kept_most = timeline_budget();
    if (recorder_.on()) {
        snapshot->recording = recorder_.target();
        snapshot->recorded = recorder_.count();
    }
    snapshot->exporting = exporter_.busy();
    snapshot->export_share = exporter_.share();
    snapshot->messages = messages_.all();
    snapshot->said = said_;
    snapshot->frame = frame_;
    snapshot_ = std::move(snapshot);
    return snapshot_;
}

void Session::fill_progress(Snapshot& snapshot) const {
    snapshot.step = step();
    snapshot.running = pace_.running;
    snapshot.ordered = making_field_ || (steps_left() && !pace_.order.empty());
    snapshot.stop_at = pace_.stop_at;
    snapshot.steps_per_frame = pace_.steps_per_frame;
    snapshot.budget_ms = pace_.budget_ms;
    snapshot.last_batch = pace_.last_batch;
    snapshot.steps_per_call = pace_.steps_per_call();
    const auto share = [](long long from, long long at, long long to) {
        return to > from ? double(at - from) / double(to - from) : 1.0;
    };
    const auto spent = Pace::Clock::now() - pace_.begun;
    if (making_field_) {
        snapshot.busy = "making the initial field";
    } else if (const Ladder* ladder = speeds_.ladder()) {
        snapshot.busy = "measuring methods: " + ladder->doing();
        snapshot.busy_share = ladder->share();
    } else if (reference_behind()) {
        snapshot.busy = "float64 reference run: catching up";
        snapshot.busy_share = share(0, reference_.run()->step(), step());
    } else if (steps_left() && (!pace_.order.empty() || spent > kLongBatch)) {
        snapshot.busy = pace_.order.empty()
                            ? fmt::format("{} steps to the next frame", pace_.target - pace_.from)
                            : pace_.order;
        snapshot.busy_share = share(pace_.from, step(), pace_.target);
    }
}

void Session::fill_numbers(Snapshot& snapshot) {
    const RunSpec& now = simulation_->now();
    snapshot.way = simulation_->solver().way();
    snapshot.step_limit = step_watch_.newest();
    snapshot.start_statistics = simulation_->start_statistics();
    snapshot.series = measures_.series();
    snapshot.probes = measures_.probes();
    const double total = snapshot.start_statistics->total;
    if (!snapshot.series.empty() && total != 0 && simulation_->conserves_total())
        snapshot.drift = snapshot.series.back().statistics.total / total - 1;
    const double cells = double(now.size->nx) * now.size->ny;
    const double seconds_per_step = pace_.recent.spread().median;
    if (seconds_per_step > 0 && !method_of(now)->jumps)
        snapshot.speed = speed_of(seconds_per_step, 1, cells, now.dtype, now.model->components.size());
    snapshot.limits = speeds_.limits();
    snapshot.limits.components = double(now.model->components.size());
    if (snapshot.way.operations > 0) snapshot.limits.instructions_per_cell = snapshot.way.operations;
    snapshot.speeds = speeds_.of(now);
    snapshot.measuring_ladder = speeds_.ladder() != nullptr;
    snapshot.cost = {costs_.stepping_ms.middle(),
                     costs_.waiting_ms.middle(),
                     costs_.resampling_ms.middle(),
                     costs_.measuring_ms.middle()};
    snapshot.memory = memory_use();
}

const MemoryUse& Session::memory_use() {
    if (Pace::Clock::now() - memory_at_ < kMemoryInterval) return memory_;
    memory_at_ = Pace::Clock::now();
    const HostMemory host = query_host_memory();
    memory_.host_total = double(host.total_bytes);
    memory_.host_used = double(process_bytes());
    memory_.host_free = double(host.free_bytes);
    memory_.gpu_total = memory_.gpu_used = memory_.gpu_free = 0;
    if (!machine_->has_cuda()) return memory_;
    try {
        const CudaMemoryInfo gpu = cuda_memory();
        memory_.gpu_total = double(gpu.total_bytes);
        memory_.gpu_free = double(gpu.free_bytes);
        memory_.gpu_used = memory_.gpu_total - memory_.gpu_free;
    } catch (const CudaError&) {
        // After a user's kernel has faulted, every CUDA call fails; that was already reported.
    }
    return memory_;
}

}  // namespace stencil
