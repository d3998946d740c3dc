// The most promising shapes of kernels of several steps, for autotuning.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "kernels/equation/block/block_text.h"
#include "kernels/equation/fused/fused_text.h"
#include "kernels/equation/resident/resident_text.h"
#include "kernels/methods/streaming/stream_tiles.h"

namespace stencil::equation {

/// At most five, best first by estimated instructions and memory traffic. Empty if the program takes too
/// many registers or too much shared memory, or cannot be fused.
std::vector<FusedShape> fused_shapes(const FusedProgram& program,
                                     bool float64,
                                     FieldCells size,
                                     const GpuFacts& gpu);

/// The division of a pass of `warps` warps per block over `blocks` co-resident blocks.
StreamCut fused_cut(const FusedProgram& program,
                    bool float64,
                    const FusedShape& shape,
                    int warps,
                    FieldCells size,
                    int blocks);

/// The shape of a fused or of a resident kernel, or of one whose only block holds the field.
using KernelShape = std::variant<FusedShape, ResidentShape, BlockShape>;

/// "16 steps per pass, 2 x 4 warps, 8 columns": blocks per multiprocessor, warps per block, columns per
/// thread.
std::string name_of(const FusedShape& shape);
std::string name_of(const KernelShape& shape);
std::string text_of(const FusedProgram& program, bool float64, FieldCells size, const KernelShape& shape);

struct KernelShapes {
    std::vector<KernelShape> all;  ///< those that keep the field on the multiprocessors first
    std::string why_none;          ///< in one line; empty if there are some
};
/// The most promising kernels of several steps of a field on a GPU.
KernelShapes kernel_shapes(const FusedProgram& program, bool float64, FieldCells size, const GpuFacts& gpu);

}  // namespace stencil::equation
