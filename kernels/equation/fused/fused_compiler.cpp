#include "kernels/equation/fused/fused_compiler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <iterator>
#include <mutex>
#include <utility>

namespace stencil::equation {
namespace {

bool is_done(const std::future<void>& task) {
    return task.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

/// Tasks whose owner is gone. The process waits for them at exit, because they use statics.
class Abandoned {
  public:
    void add(std::vector<std::future<void>> tasks) {
        const std::lock_guard lock(mutex_);
        std::ranges::move(tasks, std::back_inserter(tasks_));
        std::erase_if(tasks_, is_done);
    }
    bool any() {
        const std::lock_guard lock(mutex_);
        return !std::ranges::all_of(tasks_, is_done);
    }

  private:
    std::mutex mutex_;
    std::vector<std::future<void>> tasks_;
};

Abandoned& abandoned() {
    static Abandoned tasks;
    return tasks;
}

// The shapes, the field and the GPU on which one of them is the fastest.
std::string candidates_of(const std::vector<KernelShape>& shapes, FieldCells size, const GpuFacts& gpu) {
    std::string text;
    for (const int n : {size.nx, size.ny, gpu.multiprocessors, gpu.capability})
        text += std::to_string(n) + ' ';
    for (const KernelShape& shape : shapes) text += name_of(shape) + '\n';
    return text;
}

}  // namespace

std::string name_of_launches(std::size_t stages) {
    return stages == 1 ? "one step per launch" : "one stage per launch";
}

struct FusedCompiler::Work {
    Work(const Program& original, bool is_float64, FieldCells field, KernelMaker kernel_maker)
        : program(original),
          fused(program),
          float64(is_float64),
          size(field),
          maker(std::move(kernel_maker)) {}

    void run(const KernelShape& shape) {
        if (cancelled) return;
        try {
            std::string cubin = maker.compile(text_of(fused, float64, size, shape));
            const std::lock_guard lock(mutex);
            ready.push_back({shape, std::move(cubin)});
        } catch (const std::exception& e) {
            const std::lock_guard lock(mutex);
            why_not = e.what();
        }
    }

    const Program program;
    const FusedProgram fused;
    const bool float64;
    const FieldCells size;
    const KernelMaker maker;
    std::atomic<bool> cancelled = false;
    std::mutex mutex;
    std::vector<Compiled> ready;
    std::string why_not;
};

FusedCompiler::FusedCompiler(const Program& program,
                             bool float64,
                             FieldCells size,
                             const GpuFacts& gpu,
                             KernelMaker maker,
                             bool try_all)
    : work_(std::make_shared<Work>(program, float64, size, std::move(maker))) {
    abandoned();  // constructed before the statics that the tasks use, hence destroyed after them
    KernelShapes shapes = kernel_shapes(work_->fused, float64, size, gpu);
    work_->why_not = shapes.why_none;
    if (shapes.all.size() > 1) {
        candidates_ =
            candidates_of(shapes.all, size, gpu) + text_of(work_->fused, float64, size, shapes.all[0]);
        const std::string known = try_all || !work_->maker.fastest ? "" : work_->maker.fastest(candidates_);
        const auto found = std::ranges::find(shapes.all, known, [](const auto& s) { return name_of(s); });
        if (found != shapes.all.end()) {
            shapes.all = {KernelShape(*found)};
            candidates_.clear();
        }
    }
    for (const KernelShape& shape : shapes.all)
        tasks_.push_back(std::async(std::launch::async, [work = work_, shape] { work->run(shape); }));
}

FusedCompiler::~FusedCompiler() {
    work_->cancelled = true;
    abandoned().add(std::move(tasks_));
}

void FusedCompiler::keep_fastest(const std::string& name) {
    if (candidates_.empty() || working()) return;
    if (work_->maker.keep_fastest) work_->maker.keep_fastest(candidates_, name);
    candidates_.clear();
}

bool FusedCompiler::any_abandoned() {
    return abandoned().any();
}

bool FusedCompiler::working() const {
    const std::lock_guard lock(work_->mutex);
    return !work_->ready.empty() || !std::ranges::all_of(tasks_, is_done);
}

const FusedProgram& FusedCompiler::program() const {
    return work_->fused;
}

std::vector<FusedCompiler::Compiled> FusedCompiler::take() {
    const std::lock_guard lock(work_->mutex);
    return std::exchange(work_->ready, {});
}

void FusedCompiler::wait() {
    for (const std::future<void>& task : tasks_) task.wait();
}

std::string FusedCompiler::why_not() const {
    const std::lock_guard lock(work_->mutex);
    return work_->why_not;
}

}  // namespace stencil::equation
