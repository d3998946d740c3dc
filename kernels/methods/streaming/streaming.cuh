// Internal interface of the method `streaming`: the kernel's parameters and its launch.
#pragma once

#include <cuda_runtime.h>

#include "kernels/field/cell_update.h"
#include "kernels/methods/scaled_stepper.h"
#include "kernels/methods/steppers.h"
#include "kernels/methods/streaming/stream_tiles.h"

namespace stencil {

/// Strips are cut at multiples of this: 16 bytes of float32, the alignment that bulk copies need.
inline constexpr int kStripAlignment = 4;

template <class T>
struct StreamingTuning {
    /// Columns per lane. Lanes access shared memory in 8-byte words; this is free of bank conflicts if a
    /// lane's columns are an odd number of words.
    static constexpr int kColumns = 72 / int(sizeof(T));
    /// Steps per warp: the scaling of the state is then due in the last one.
    static constexpr int kLevels = ScaledSteps<T>::kStepsPerScale;
    /// Warps per block, each with its own steps.
    static constexpr int kMaxWarps = 4;
    /// Rows that a warp hands to the next at a time. Even, because iterations come in pairs.
    static constexpr int kBatch = 4;
    /// The last segment is shorter by this many rows, because rows at the field's end take longer.
    static constexpr int kFewerRows = 24;

    static constexpr int kWidth = 32 * kColumns;
    static constexpr int kMaxLevels = kMaxWarps * kLevels;
    static_assert(kMaxLevels == kStreamingSteps);
};

/// One pass: warps * (levels per warp) steps from `from` to `to`.
template <class T>
struct StreamPass {
    FieldView<const T> from;
    FieldView<T> to;
    const StreamTile* tiles;  ///< one per block
    StepWeights<T> weights[StreamingTuning<T>::kMaxLevels];
};

struct StreamLaunch {
    Boundary boundary;
    bool full;  ///< kLevels steps per warp; otherwise one
    int warps, blocks;
    cudaStream_t stream;
};

/// Resident blocks per multiprocessor; 0 if the block does not fit.
template <class T>
int stream_blocks_per_multiprocessor(const StreamLaunch& launch, int nx);

/// Rows that a block processes besides those that it writes (overlap and pipeline fill).
template <class T>
constexpr int stream_extra_rows(int warps, bool full) {
    const int levels = full ? StreamingTuning<T>::kLevels : 1;
    return warps * levels + warps * (2 * levels - 1) + StreamingTuning<T>::kBatch;
}

/// Enqueues the pass.
template <class T>
void launch_stream(const StreamPass<T>& pass, const StreamLaunch& launch);

}  // namespace stencil
