// What a session tells about itself.
#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/host_memory.h"
#include "sim/session/session.h"

namespace stencil {
namespace {

constexpr auto kMemoryInterval = std::chrono::milliseconds(500);
// A batch that takes longer than this shows how far it is.
// Of an order, from which the rest of its time is guessed.
constexpr double kTellingSeconds = 1;
constexpr auto kLongBatch = std::chrono::milliseconds(500);

}  // namespace

std::shared_ptr<const Snapshot> Session::snapshot() {
    if (!dirty_ && snapshot_) return snapshot_;
    dirty_ = false;
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->spec = simulation_->spec();
    snapshot->spec.steps = simulation_->step();
    snapshot->spec.probes = probe_cells();
    snapshot->spec.profile = view_.profile;
    snapshot->now = simulation_->now();
    snapshot->auto_method = auto_method_;
    snapshot->machine = machine_;
    snapshot->device = device_name(*machine_, method_of(snapshot->now)->device, snapshot->now.threads);
    fill_progress(*snapshot);
    fill_numbers(*snapshot);
    snapshot->can_undo = undo_.undo_text();
    snapshot->can_redo = undo_.redo_text();
    if (recorder_) {
        snapshot->recording = recorder_->folder().string();
        snapshot->recorded = recorder_->count();
    }
    snapshot->exporting = exporter_.busy();
    snapshot->messages = messages_;
    snapshot->frame = frame_;
    snapshot_ = std::move(snapshot);
    return snapshot_;
}

void Session::fill_progress(Snapshot& snapshot) const {
    snapshot.step = simulation_->step();
    snapshot.running = running_;
    snapshot.ordered = steps_left() && !order_.empty();
    snapshot.stop_at = stop_at_;
    snapshot.steps_per_frame = steps_per_frame_;
    snapshot.budget_ms = budget_ms_;
    snapshot.last_batch = last_batch_;
    const auto share = [](long long from, long long at, long long to) {
        return to > from ? double(at - from) / double(to - from) : 1.0;
    };
    if (ladder_) {
        snapshot.busy = "ladder: " + ladder_->doing();
        snapshot.busy_share = ladder_->share();
    } else if (reference_behind()) {
        snapshot.busy = "float64 run to compare with: catching up";
        snapshot.busy_share = share(0, reference_->step(), simulation_->step());
    } else if (steps_left() && (!order_.empty() || Clock::now() - batch_begun_ > kLongBatch)) {
        snapshot.busy =
            order_.empty() ? fmt::format("{} steps to the next frame", target_ - order_from_) : order_;
        snapshot.busy_share = share(order_from_, simulation_->step(), target_);
        const double spent = std::chrono::duration<double>(Clock::now() - batch_begun_).count();
        if (snapshot.busy_share > 0 && spent > kTellingSeconds)
            snapshot.busy_seconds_left = spent * (1 / snapshot.busy_share - 1);
    }
}

void Session::fill_numbers(Snapshot& snapshot) {
    const RunSpec& now = simulation_->now();
    snapshot.start_statistics = simulation_->start_statistics();
    snapshot.series = measures_.series();
    snapshot.probes = measures_.probes();
    const double total = snapshot.start_statistics->total;
    if (!snapshot.series.empty() && total != 0 && simulation_->conserves_total())
        snapshot.drift = snapshot.series.back().statistics.total / total - 1;
    const double cells = double(now.size->nx) * now.size->ny;
    const double seconds_per_step = recent_.spread().median;
    if (seconds_per_step > 0 && !method_of(now)->jumps)
        snapshot.speed = speed_of(seconds_per_step, 1, cells, now.dtype);
    snapshot.limits = limits_;
    snapshot.speeds = speeds();
    snapshot.measuring_ladder = ladder_ != nullptr;
    snapshot.cost = {costs_.stepping_ms.middle(),
                     costs_.waiting_ms.middle(),
                     costs_.resampling_ms.middle(),
                     costs_.measuring_ms.middle()};
    snapshot.memory = memory_use();
}

MemoryUse Session::memory_use() {
    if (Clock::now() - memory_at_ < kMemoryInterval) return memory_;
    memory_at_ = Clock::now();
    const HostMemory host = query_host_memory();
    memory_.host_total = double(host.total_bytes);
    memory_.host_used = double(process_bytes());
    memory_.host_free = double(host.free_bytes);
    memory_.gpu_total = memory_.gpu_used = memory_.gpu_free = 0;
    if (!machine_->has_cuda()) return memory_;
    const CudaMemoryInfo gpu = cuda_memory();
    memory_.gpu_total = double(gpu.total_bytes);
    memory_.gpu_free = double(gpu.free_bytes);
    memory_.gpu_used = memory_.gpu_total - memory_.gpu_free;
    return memory_;
}

}  // namespace stencil
