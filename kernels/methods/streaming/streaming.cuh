// Internal interface of the method `streaming`: the kernel's parameters and its launch.
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/gpu_facts.h"
#include "kernels/field/cell_update.h"
#include "kernels/methods/scaled_stepper.h"
#include "kernels/methods/steppers.h"
#include "kernels/methods/streaming/stream_tiles.h"

namespace stencil {

/// Strips are cut at multiples of this: 16 bytes of float32, the alignment that bulk copies need.
inline constexpr int kStripAlignment = 4;

/// The shape of a block. A multiprocessor should hold two blocks at least, so that one works while the other
/// waits, and its shared memory decides how large they are.
enum class StreamShape {
    wide,    ///< 93 KB, for the 228 KB of 9.0 and 10.0
    medium,  ///< 48 KB, for the 164 or 100 KB of 8.x
    small,   ///< 27 KB, for the 64 KB of 7.5, and for 12.0, where larger ones spill registers; for any field
};
inline constexpr StreamShape kStreamShapes[] = {StreamShape::wide, StreamShape::medium, StreamShape::small};

/// What the warps of a block do in a pass.
enum class StreamLevels {
    single,  ///< one step each
    full,    ///< kLevels steps each, the last of which scales the state
    scaled,  ///< kLevels steps each, all of which scale the state
};

template <class T>
struct StreamingTuning {
    /// Steps per warp: the scaling of the state is then due in the last one.
    static constexpr int kLevels = ScaledSteps<T>::kStepsPerScale;
    /// Warps per block, each with its own steps.
    static constexpr int kMaxWarps = 4;
    /// The last segment is shorter by this many rows, because rows at the field's end take longer.
    static constexpr int kFewerRows = 24;
    static constexpr int kMaxLevels = kMaxWarps * kLevels;
    static_assert(kMaxLevels == kStreamingSteps);

    /// Bytes of a row that a lane holds. Lanes access shared memory in 8-byte words; this is free of bank
    /// conflicts if they are an odd number of words.
    static constexpr int lane_bytes(StreamShape shape) {
        if (shape == StreamShape::small) return kStreamingRowBytes / 32;
        return shape == StreamShape::medium && sizeof(T) == 8 ? 56 : 72;
    }
    /// Columns of a block.
    static constexpr int width(StreamShape shape) { return 32 * lane_bytes(shape) / int(sizeof(T)); }
    /// Rows that a warp hands to the next at a time. Even, because iterations come in pairs.
    static constexpr int batch(StreamShape shape) { return shape == StreamShape::wide ? 4 : 2; }

    /// Whether code compiled for this compute capability (86 is 8.6) has the kernel; others would spill
    /// registers or find no room. PTX for 8.0 may run on a 9.0.
    static constexpr bool has(int capability, StreamShape shape, StreamLevels levels) {
        if (shape == StreamShape::small) return true;
        if (levels == StreamLevels::single) return false;
        const bool ampere = capability >= 80 && capability < 90;
        if (shape == StreamShape::medium) return ampere && levels == StreamLevels::full;
        return (capability >= 90 && capability < 120) || (capability == 80 && sizeof(T) == 4);
    }
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
    StreamShape shape;
    StreamLevels levels;
    Boundary boundary;
    int warps, blocks;
    cudaStream_t stream;
};

/// Resident blocks per multiprocessor of a GPU with these facts; 0 if the block does not fit or the kernel is
/// missing for this GPU.
template <class T>
int stream_blocks_per_multiprocessor(const StreamLaunch& launch, const GpuFacts& gpu);

/// Rows that a block processes besides those that it writes (overlap and pipeline fill).
template <class T>
constexpr int stream_extra_rows(const StreamLaunch& launch) {
    using Tuning = StreamingTuning<T>;
    const int levels = launch.levels == StreamLevels::single ? 1 : Tuning::kLevels;
    return launch.warps * levels + launch.warps * (2 * levels - 1) + Tuning::batch(launch.shape);
}

/// Enqueues the pass.
template <class T>
void launch_stream(const StreamPass<T>& pass, const StreamLaunch& launch);

}  // namespace stencil
