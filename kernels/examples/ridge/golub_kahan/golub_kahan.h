// The Golub-Kahan process of a sparse matrix and a right-hand side, on either device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/examples/ridge/lsmr.h"
#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

class CudaStream;
class ThreadPool;

/// The process: a matrix in its device's own form, ready to start with a right-hand side as often as one
/// likes. All vectors and sums are float64 whatever the matrix's precision; the same bits from run to run.
class GolubKahan {
  public:
    virtual ~GolubKahan() = default;

    /// Begins: d (rows). `take_out`: looks for a dominant singular value first (a few steps) and takes it out
    /// of the process where there is one.
    virtual void start(std::span<const double> d, bool take_out) = 0;

    /// Makes up to `steps` more steps; fewer where the process ends or the memory for V does.
    virtual void advance(int steps) = 0;

    /// Solutions x = V y + xi q, one after the other (solutions x columns).
    virtual std::vector<double> combine(std::span<const ProjectedSolution> solutions) = 0;

    /// `pause` is called between two products at the latest. It may throw; the process then has to be started
    /// anew.
    void on_pause(std::function<void()> pause) { pause_ = std::move(pause); }

    /// Seconds that bringing the matrix to the device took; 0 on the CPU.
    virtual double upload_seconds() const { return 0; }

    const Bidiagonal& bidiagonal() const { return bidiagonal_; }
    /// The process can make no further steps.
    bool ended() const;
    /// The vectors of V that memory has room for, and the bytes of one.
    std::int64_t capacity() const { return capacity_; }
    std::size_t vector_bytes() const { return vector_bytes_; }

  protected:
    /// Takes over what a device found, up to where the process ends.
    void append(double beta, double alpha);

    /// |A q| of the unit vector q that there is, and then |A^T p| of p = A q / |A q|, which makes the next q.
    struct PowerNorms {
        double forward = 0, back = 0;
    };
    /// Power iteration by such steps, as long as it converges so quickly that taking out the singular value
    /// pays; false, and given up early, where it does not. A^T p = |A^T p| q holds exactly then, A q = sigma
    /// p up to rounding.
    bool find_dominant(const std::function<PowerNorms()>& step) const;

    void pause() const {
        if (pause_) pause_();
    }

    Bidiagonal bidiagonal_;
    std::int64_t capacity_ = 0;
    std::size_t vector_bytes_ = 0;

  private:
    std::function<void()> pause_;
};

/// On the CPU. `basis_bytes`: of host memory for V.
template <class T>
std::unique_ptr<GolubKahan> make_cpu_golub_kahan(const SparseMatrix<T>& a,
                                                 ThreadPool& threads,
                                                 std::size_t basis_bytes);

/// On the GPU, for up to `steps` steps, as far as the thread's CudaMemoryMeter has room for their vectors.
/// Throws CudaError where it has none for the matrix and the first of them, and std::bad_alloc.
template <class T>
std::unique_ptr<GolubKahan> make_cuda_golub_kahan(const SparseMatrix<T>& a,
                                                  ThreadPool& threads,
                                                  CudaStream& stream,
                                                  std::int64_t steps);

}  // namespace stencil
