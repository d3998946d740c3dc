// The method `resident`: its shapes of tiles, and which one a field gets.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "kernels/methods/resident/resident_kernel.cuh"

namespace stencil {

/// A kernel for one shape of tile.
struct ResidentInstance {
    const void* kernel;
    int columns;  ///< of a lane
    int rows;     ///< of a warp
    int width;    ///< of a tile
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

/// Those of a precision, each compiled in a file of its own.
template <class T>
std::span<const ResidentInstance> resident_instances();
template <>
std::span<const ResidentInstance> resident_instances<float>();
template <>
std::span<const ResidentInstance> resident_instances<double>();

}  // namespace stencil
