// What can be seen of a field, and painting on it: on the device (kernels/view/cpu_view.h is the host's
// side).
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

/// Device memory that grows to what the functions below need, and is used again by the next.
class CudaScratch {
  public:
    /// At least `bytes` bytes, aligned for anything; undefined contents.
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

/// A quantity of a field on the device. Its base is set where the quantity needs it, and is there too.
template <class T>
struct CudaView {
    QuantitySource<T> source;
    Quantity quantity = Quantity::value;
    CudaStream& stream;
    CudaScratch& scratch;
};

/// Enqueues the reading of every cell into a device field of the same shape. Not in place.
template <class T, class U>
void cuda_read(const CudaView<T>& view, FieldView<U> out);

/// Enqueues the making of (height, width) pixels, row 0 on top, in device memory.
template <class T>
void cuda_resample(const CudaView<T>& view, const ResampleRequest& request, float* pixels);

/// Of all cells; the same in every call. Waits for the result, as all that follow but painting.
template <class T>
Statistics cuda_statistics(const CudaView<T>& view);

/// The 2-norm over all cells, summed in float64; NaN where a cell is.
template <class T>
double cuda_norm(const CudaView<T>& view);

/// NumPy's linear percentiles of the finite cells, exactly; empty where none is finite.
template <class T>
std::vector<double> cuda_percentiles(const CudaView<T>& view,
                                     std::span<const double> q,
                                     const SumOfParts& sum = {});

/// The finite cells in each of `bins.count` equal parts of [low, high].
template <class T>
std::vector<std::uint64_t> cuda_histogram(const CudaView<T>& view, const HistogramBins& bins);

/// At points; NaN beyond the field.
template <class T>
std::vector<double> cuda_sample(const CudaView<T>& view,
                                std::span<const SamplePoint> points,
                                const Sampling& how);

/// Enqueues one piece of a stroke, on rows that begin with row `first_row` of the field.
template <class T>
void cuda_paint(const PlainView<T>& field, const BrushPiece& piece, CudaStream& stream, int first_row = 0);

}  // namespace stencil
