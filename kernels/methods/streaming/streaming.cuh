// The method `streaming`, inside: what its kernel is given, and the launch.
#pragma once

#include <cuda_runtime.h>

#include "kernels/field/cell_update.h"
#include "kernels/methods/scaled_stepper.h"
#include "kernels/methods/steppers.h"
#include "kernels/methods/streaming/streaming_plan.h"

namespace stencil {

template <class T>
struct StreamingTuning {
    /// Columns that a lane holds. 8-byte accesses of all lanes to shared memory meet no bank twice where
    /// kColumns times the cell's size is an odd number of them.
    static constexpr int kColumns = 72 / int(sizeof(T));
    /// Steps that a warp holds: the scale of the state is then due in the last one.
    static constexpr int kLevels = ScaledSteps<T>::kStepsPerScale;
    /// Warps of a block, each with its own steps.
    static constexpr int kMaxWarps = 4;
    /// Rows that warps hand on at a time. Even.
    static constexpr int kBatch = 4;

    static constexpr int kWidth = 32 * kColumns;
    static constexpr int kMaxLevels = kMaxWarps * kLevels;
    static_assert(kMaxLevels == kStreamingSteps);
};

/// One pass: warps * (levels of a warp) steps from `from` to `to`.
template <class T>
struct StreamPass {
    FieldView<const T> from;
    FieldView<T> to;
    int strips;
    int segments;
    StepWeights<T> weights[StreamingTuning<T>::kMaxLevels];
};

struct StreamLaunch {
    Boundary boundary;
    bool full;  ///< kLevels steps a warp; otherwise one
    int warps;
    cudaStream_t stream;
};

/// Blocks of this kind that fit on one multiprocessor at a time; 0 where none does.
template <class T>
int stream_blocks_per_multiprocessor(const StreamLaunch& launch, int nx);

/// Rows that a block goes through beyond those that it writes.
template <class T>
constexpr int stream_extra_rows(int warps, bool full) {
    const int levels = full ? StreamingTuning<T>::kLevels : 1;
    return warps * levels + warps * (2 * levels - 1) + StreamingTuning<T>::kBatch;
}

/// Enqueues the pass.
template <class T>
void launch_stream(const StreamPass<T>& pass, const StreamLaunch& launch);

}  // namespace stencil
