// Rows for the sum of an array, and the dot product of two: one number from many, in several ways on either
// side.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/examples/arrays/ways/host_arrays.h"
#include "sim/examples/context.h"

namespace stencil {

class CudaStream;

/// The terms: x[i] y[i], or x[i] where y is null.
template <class T>
struct SumTerms {
    const T* x = nullptr;
    const T* y = nullptr;
    std::int64_t n = 0;
};

/// A way at work on one stream, with the memory that it takes.
template <class T>
class GpuSum {
  public:
    virtual ~GpuSum() = default;
    /// *result = the sum, both on the device.
    virtual void enqueue(const SumTerms<T>& terms, T* result) = 0;
    /// The sum on the host, waited for; nothing where enqueue() and a copy are the way.
    virtual std::optional<T> on_host(const SumTerms<T>&) { return std::nullopt; }
};

template <class T>
struct SumWay {
    std::string name;
    bool same_bits = true;  ///< from run to run; otherwise its order is left to chance
    bool lesson = false;    ///< what not to do
    bool for_gpu = false;   ///< it has a row there, also where there is no GPU
    /// Throws Cancelled. Empty: no row on the CPU.
    std::function<T(ExampleContext&, const SumTerms<T>&)> on_cpu;
    /// For up to this number of terms.
    std::function<std::unique_ptr<GpuSum<T>>(CudaStream&, std::int64_t)> on_gpu;
    std::function<double(std::int64_t)> gpu_bytes;
};

template <class T>
struct SumWork {
    std::string name;
    std::int64_t n = 0;
    AlignedBuffer<T> x, y;
    long double exact = 0;
    bool result_on_host = false;  ///< the time is the host's, from the call until it has the result
    double error_bound = 0;       ///< beyond it a row whose order is fixed has failed, and another is inexact

    SumTerms<T> terms() const { return {x.data(), y.data(), n}; }
    int arrays() const { return y.data() ? 2 : 1; }
};

/// The sum of the terms with 11 more bits than float64, in pairs of pieces. Throws Cancelled.
template <class T>
long double exact_sum(ExampleContext& context, const SumTerms<T>& terms);

/// Rows of the way that are measured.
template <class T>
int measured_rows(const ExampleRequest& request, const ExampleContext& context, const SumWay<T>& way) {
    return (way.on_cpu && request.on_cpu() ? 1 : 0) + (way.for_gpu && context.gpu() ? 1 : 0);
}

/// Estimated seconds of the parts of a work: its set-up, and its rows.
template <class T>
void add_parts(const ExampleRequest& request,
               const ExampleContext& context,
               std::span<const SumWay<T>> ways,
               std::vector<double>& parts) {
    const std::int64_t n = request.options.integer("length");
    parts.push_back(setup_seconds(n));
    for (const SumWay<T>& way : ways)
        parts.insert(parts.end(), std::size_t(measured_rows(request, context, way)), row_seconds(n));
}

/// Throws MachineError where so many arrays of n elements do not fit into the memory of the host, or, with
/// what the ways take, into that of the GPU.
template <class T>
void require_memory(const ExampleContext& context,
                    std::span<const SumWay<T>> ways,
                    int arrays,
                    std::int64_t n);

/// Adds a row for each side that the way has; the GPU's says why where it is absent. Throws CudaError,
/// Cancelled.
template <class T>
void add_sum_rows(const ExampleRequest& request,
                  ExampleContext& context,
                  const SumWork<T>& work,
                  const SumWay<T>& way);

}  // namespace stencil
