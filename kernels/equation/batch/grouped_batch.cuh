// The base of all batches: it packs, steps and unpacks the members group by group.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/equation/batch/batch_layout.cuh"
#include "kernels/equation/batch/batch_stepper.h"
#include "kernels/equation/text/fused_program.h"

namespace stencil::equation {

template <class T>
class GroupedBatch : public BatchStepper<T> {
  public:
    using Members = std::span<EquationStepper<T>* const>;
    using Steps = std::span<const long long>;
    static constexpr bool kFloat64 = sizeof(T) == 8;

    double advance(Members all, Steps steps, ThreadPool& threads) final {
        use_cuda_device(device_);
        std::vector<EquationStepper<T>*> members, alone;
        std::vector<long long> left;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (steps[i] == 0) continue;
            const bool steps_alone = all[i]->steps_alone();
            if (steps_alone) alone.push_back(all[i]);
            if (steps[i] == 1 && steps_alone) continue;
            members.push_back(all[i]);
            left.push_back(steps_alone ? steps[i] - 1 : steps[i]);
        }
        if (members.empty() && alone.empty()) return 0;
        prepare(members.empty() ? alone : members, threads);
        const auto started = std::chrono::steady_clock::now();
        if (!alone.empty()) make_first_steps(alone, threads);
        step_groups(members, left, threads);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    }

  protected:
    GroupedBatch(const Program& program, FieldCells size, BatchNeeds needs, KernelMaker maker, int device)
        : program_(program),
          layout_(program_, size, std::move(needs)),
          maker_(std::move(maker)),
          device_(device) {}

    /// Compiles what is not compiled yet.
    virtual void prepare(Members members, ThreadPool& threads) = 0;
    /// Members of a group, at most.
    virtual std::size_t most_of_group() = 0;
    /// Makes steps[i] > 0 steps in members[i], or begins to.
    virtual void step_group(Members members, Steps steps, ThreadPool& threads) = 0;
    /// Returns when the members of all groups hold their results.
    virtual void finish_groups(ThreadPool&) {}
    /// Makes a step in each, which has weights of its own.
    virtual void make_first_steps(Members members, ThreadPool& threads) {
        for_runs(threads, members.size(), [&](std::size_t i) { members[i]->advance(1); });
    }

    void step_groups(Members members, Steps steps, ThreadPool& threads) {
        if (members.empty()) return;
        const std::size_t most = most_of_group();
        for (std::size_t first = 0; first < members.size(); first += most) {
            const std::size_t count = std::min(most, members.size() - first);
            step_group(members.subspan(first, count), steps.subspan(first, count), threads);
        }
        finish_groups(threads);
    }

    const Program program_;
    const BatchLayout<T> layout_;
    KernelMaker maker_;
    int device_;
};

/// What fused kernels expect.
inline BatchNeeds needs_of_fused(const Program& program) {
    return {FusedProgram(program).from, kMemoryAlignment};
}

// Called by make_cuda_batch().
template <class T>
std::unique_ptr<BatchStepper<T>> make_block_batch(const Program& program,
                                                  FieldCells size,
                                                  KernelMaker maker,
                                                  int device);
template <class T>
std::unique_ptr<BatchStepper<T>> make_fused_batch(const Program& program,
                                                  FieldCells size,
                                                  KernelMaker maker,
                                                  int device);

}  // namespace stencil::equation
