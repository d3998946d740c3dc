// The tile shapes of the method `resident`.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "kernels/methods/resident/resident_kernel.cuh"

namespace stencil {

/// A kernel, compiled for one tile shape.
struct ResidentInstance {
    const void* kernel;
    int columns;  ///< per lane
    int rows;     ///< per warp
    int width;    ///< of the tile, in cells
    int height;
    int threads;
    std::size_t (*shared_bytes)(const ResidentTiles&);
    std::size_t (*routes_begin)(const ResidentTiles&);
};

template <class S>
ResidentInstance resident_instance() {
    return {reinterpret_cast<const void*>(&resident_kernel<S>),
            S::kColumns,
            S::kRows,
            S::kWidth,
            S::kHeight,
            S::kThreads,
            &shared_bytes<S>,
            &routes_begin<S>};
}

/// The kernels of one precision, in a translation unit of their own.
template <class T>
std::span<const ResidentInstance> resident_instances();
template <>
std::span<const ResidentInstance> resident_instances<float>();
template <>
std::span<const ResidentInstance> resident_instances<double>();

}  // namespace stencil
