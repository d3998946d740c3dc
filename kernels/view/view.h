// Observing and painting a field. Each function has an overload for the host and one for the device, with the
// same bits where it returns numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/view/brush.h"
#include "kernels/view/quantity.h"
#include "kernels/view/resample.h"
#include "kernels/view/sampled.h"
#include "kernels/view/statistics/histogram_bins.h"
#include "kernels/view/statistics/percentiles.h"
#include "kernels/view/statistics/statistics.h"

namespace stencil {

/// Device memory that grows on demand and is reused by the functions below.
class CudaScratch {
  public:
    /// At least `bytes` bytes, uninitialised, with the alignment of cudaMalloc.
    void* reserve(std::size_t bytes) {
        if (bytes > bytes_) {
            bytes_ = 0;
            memory_ = CudaMemory();
            memory_ = CudaMemory(bytes);
            bytes_ = bytes;
        }
        return memory_.data();
    }

  private:
    CudaMemory memory_;
    std::size_t bytes_ = 0;
};

/// A quantity of a field on the host or in device memory. `base` must be set if the quantity needs it.
template <class T>
struct CpuView {
    QuantitySource<T> source;
    Quantity quantity = Quantity::value;
    ThreadPool& threads;
};
template <class T>
struct CudaView {
    QuantitySource<T> source;
    Quantity quantity = Quantity::value;
    CudaStream& stream;
    CudaScratch& scratch;
};

// On the device, read(), resample() and paint() only enqueue; the others wait for the result.

/// Reads every cell into a field of the same shape. Not in place.
template <class T, class U>
void read(const CpuView<T>& view, FieldView<U> out);
template <class T, class U>
void read(const CudaView<T>& view, FieldView<U> out);

/// Resamples to (height, width) pixels, row 0 on top.
template <class T>
void resample(const CpuView<T>& view, const ResampleRequest& request, float* pixels);
template <class T>
void resample(const CudaView<T>& view, const ResampleRequest& request, float* pixels);

/// Statistics of the view's rows, the first of which is row `first_row` of the field. Results of consecutive
/// rows combine to those of the field; their bits depend neither on the threads nor on how the rows were
/// divided.
template <class T>
PartialStatistics sums(const CpuView<T>& view, Summand summand, int first_row = 0);
template <class T>
PartialStatistics sums(const CudaView<T>& view, Summand summand, int first_row = 0);

/// NumPy's linear percentiles of the finite cells, exact; empty if no cell is finite.
template <class T>
std::vector<double> percentiles(const CpuView<T>& view,
                                std::span<const double> q,
                                const SumOverSlabs& sum = {});
template <class T>
std::vector<double> percentiles(const CudaView<T>& view,
                                std::span<const double> q,
                                const SumOverSlabs& sum = {});

/// Counts the finite cells in each of `bins.count` equal parts of [low, high].
template <class T>
std::vector<std::uint64_t> histogram(const CpuView<T>& view, const HistogramBins& bins);
template <class T>
std::vector<std::uint64_t> histogram(const CudaView<T>& view, const HistogramBins& bins);

/// Values at points; NaN outside of the field.
template <class T>
std::vector<double> sample(const CpuView<T>& view, std::span<const SamplePoint> points, const Sampling& how);
template <class T>
std::vector<double> sample(const CudaView<T>& view, std::span<const SamplePoint> points, const Sampling& how);

/// Paints one segment of a stroke on rows that start at row `first_row` of the field.
template <class T>
void paint(const PlainView<T>& field, const BrushPiece& piece, ThreadPool& threads, int first_row = 0);
template <class T>
void paint(const PlainView<T>& field, const BrushPiece& piece, CudaStream& stream, int first_row = 0);

}  // namespace stencil
