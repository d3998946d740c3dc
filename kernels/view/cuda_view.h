// Observing and painting a field on the device; kernels/view/cpu_view.h is the host's side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// A quantity of a field on the device. `base` must be set, in device memory, if the quantity needs it.
template <class T>
struct CudaView {
    QuantitySource<T> source;
    Quantity quantity = Quantity::value;
    CudaStream& stream;
    CudaScratch& scratch;
};

/// Enqueues reading every cell into a device field of the same shape. Not in place.
template <class T, class U>
void cuda_read(const CudaView<T>& view, FieldView<U> out);

/// Enqueues resampling to (height, width) pixels in device memory, row 0 on top.
template <class T>
void cuda_resample(const CudaView<T>& view, const ResampleRequest& request, float* pixels);

/// Gives the bits of sums() on the host. This and all following functions except cuda_paint() wait for the
/// result.
template <class T>
PartialStatistics cuda_sums(const CudaView<T>& view, Summand summand, int first_row = 0);

/// NumPy's linear percentiles of the finite cells, exact; empty if no cell is finite.
template <class T>
std::vector<double> cuda_percentiles(const CudaView<T>& view,
                                     std::span<const double> q,
                                     const SumOverSlabs& sum = {});

/// Counts the finite cells in each of `bins.count` equal parts of [low, high].
template <class T>
std::vector<std::uint64_t> cuda_histogram(const CudaView<T>& view, const HistogramBins& bins);

/// Values at points; NaN outside of the field.
template <class T>
std::vector<double> cuda_sample(const CudaView<T>& view,
                                std::span<const SamplePoint> points,
                                const Sampling& how);

/// Enqueues one segment of a stroke, on rows that start at row `first_row` of the field.
template <class T>
void cuda_paint(const PlainView<T>& field, const BrushPiece& piece, CudaStream& stream, int first_row = 0);

}  // namespace stencil
