// One number from many: the sum of an array and the dot product of two, in several ways on either side.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "sim/examples/arrays/arrays.h"

namespace stencil {

/// The terms: x[i] y[i], or x[i] where y is null.
template <class T>
struct SumTerms {
    const T* x = nullptr;
    const T* y = nullptr;
    std::int64_t n = 0;
};

/// A way at work on one stream, with the memory that it takes.
template <class T>
struct GpuSum {
    /// *result = the sum, both on the device.
    std::function<void(const SumTerms<T>&, T* result)> enqueue;
    /// The sum on the host, waited for; empty where enqueue() and a copy are the way.
    std::function<T(const SumTerms<T>&)> on_host = {};
};

template <class T>
struct SumWay {
    std::string name;
    bool same_bits = true;  ///< from run to run; otherwise its order is left to chance
    bool lesson = false;    ///< what not to do
    /// Throws Cancelled. Empty: no row on the CPU but one on the GPU, also where there is no GPU.
    std::function<T(ExampleContext&, const SumTerms<T>&)> on_cpu = {};
    /// For up to this number of terms.
    std::function<GpuSum<T>(CudaStream&, std::int64_t)> on_gpu = {};
    std::function<double(std::int64_t)> gpu_bytes = {};
};

template <class T>
struct SumWork {
    std::string name;
    bool result_on_host = false;  ///< the time is the host's, from the call until it has the result
    std::int64_t n = 0;
    AlignedBuffer<T> x, y;  ///< y is empty where x is summed alone
    long double exact = 0;

    SumTerms<T> terms() const { return {x.data(), y.data(), n}; }
    int arrays() const { return y.data() ? 2 : 1; }
};

/// The sum of the terms with 11 more bits than float64, in pairs of pieces. Throws Cancelled.
template <class T>
long double exact_sum(const ExampleContext& context, const SumTerms<T>& terms);

/// Adds to the report of one precision. Throws CudaError, Cancelled.
template <class T>
struct SumReport {
    const ExampleRequest& request;
    ExampleContext& context;
    std::span<const SumWay<T>> ways;

    /// Throws MachineError where so many arrays of --length elements do not fit into the memory of the host,
    /// or, with what the ways take, into that of the GPU.
    void require_memory(int arrays) const;

    /// A row for each way; the GPU's says why where it is absent.
    void add_rows(const SumWork<T>& work) const;

    /// Curves of times and of errors over lengths of 1e3, 1e4 and so on to --longest, as far as memory
    /// allows, for sums of one array.
    void add_sweep() const;
};

}  // namespace stencil
