// One row of one explicit step with the widest SIMD that the processor has (Highway's run-time dispatch).
#pragma once

#include "kernels/cell_update.h"

namespace stencil {

template <class T>
struct RowUpdate {
    T* out;           ///< n cells on a cache line; whole vectors are written, up to a cache line beyond
    const T* north;   ///< the rows of the old field around it, likewise
    const T* center;  ///< with its two ghost cells set
    const T* south;
    int n;
    StepWeights<T> weights;
};

void update_row(const RowUpdate<float>& row);
void update_row(const RowUpdate<double>& row);

/// The instruction set that update_row() uses on this processor, e.g. "AVX3_SPR".
const char* simd_target();

}  // namespace stencil
