// Work on each element: one array from one or two others, in several ways on either side.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/examples/arrays/arrays.h"

namespace stencil {

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
    std::function<void(ExampleContext&, const MapArrays<T>&)> on_cpu = {};
    /// Enqueues.
    std::function<void(CudaStream&, const MapArrays<T>&)> on_gpu = {};
};

/// A piece of work with its data on the host.
template <class T>
struct MapWork {
    std::string name = {};
    std::int64_t n = 0;
    std::vector<AlignedBuffer<T>> inputs = {};
    AlignedBuffer<Exact<T>> exact = {};
    double error_bound = 0;  ///< relative 2-norm; beyond it a row has failed
};

/// Adds to the report of one precision. Throws CudaError, Cancelled.
template <class T>
struct MapReport {
    const ExampleRequest& request;
    ExampleContext& context;

    /// A row for each way on the CPU, and one on the GPU, or why there is none. A side that was not asked for
    /// has no row, but for the GPU's absent ones.
    void add_rows(const MapWork<T>& work, std::span<const MapWay<T>> ways) const;

    /// A curve of times over lengths of 1e3, 1e4 and so on to --longest, as far as memory allows, for each
    /// way on each side that is asked for; of one input, with data in place.
    void add_sweep(const std::string& id, const std::string& title, std::span<const MapWay<T>> ways) const;
};

}  // namespace stencil
