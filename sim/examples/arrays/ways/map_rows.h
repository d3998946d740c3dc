// Rows for work on each element: one array from one or two others, in several ways on either side.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/examples/arrays/ways/host_arrays.h"
#include "sim/examples/context.h"

namespace stencil {

class CudaStream;

/// The arrays of a way: the inputs, the output, its scratch arrays; all of `n` elements.
template <class T>
struct MapArrays {
    std::span<T* const> at;
    std::int64_t n = 0;
};

template <class T>
struct MapWay {
    std::string name;
    int scratch = 0;       ///< arrays
    int arrays_moved = 0;  ///< read or written once each
    /// Throws Cancelled.
    std::function<void(ExampleContext&, const MapArrays<T>&)> on_cpu;
    /// Enqueues.
    std::function<void(CudaStream&, const MapArrays<T>&)> on_gpu;
};

/// A piece of work with its data on the host.
template <class T>
struct MapWork {
    std::string name;
    std::int64_t n = 0;
    std::vector<AlignedBuffer<T>> inputs;
    AlignedBuffer<Exact<T>> exact;
    double error_bound = 0;  ///< relative 2-norm; beyond it a row has failed

    /// Of the inputs and the output: what no way can do without.
    double least_bytes() const { return double(inputs.size() + 1) * double(n) * sizeof(T); }
};

/// Rows that a way has measured.
inline int sides(const ExampleRequest& request, const ExampleContext& context) {
    return (request.on_cpu() ? 1 : 0) + (context.gpu() ? 1 : 0);
}

/// Adds a row for the way on the CPU, and one on the GPU, or why there is none. A side that was not asked for
/// has no row, but for the GPU's absent ones. Throws CudaError, Cancelled.
template <class T>
void add_map_rows(const ExampleRequest& request,
                  ExampleContext& context,
                  MapWork<T>& work,
                  const MapWay<T>& way);

}  // namespace stencil
