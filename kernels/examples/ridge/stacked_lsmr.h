// LSMR on the stacked system [A; c I] x = [d; 0], once for each c: what the tutorial does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/examples/ridge/lsmr.h"
#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

class CudaStream;
class ThreadPool;

/// LSMR's vectors, in float64: u (rows + columns); v, h, hbar and x (columns).
class StackedVectors {
  public:
    virtual ~StackedVectors() = default;

    /// u = [d; 0] / |d|, and v, h, hbar and x = 0. Returns |d|.
    virtual double start(std::span<const double> d, double c) = 0;
    /// u = S v - alpha u, normalised. Returns its length.
    virtual double forward(double alpha) = 0;
    /// v = S^T u - beta v, normalised. Returns its length.
    virtual double back(double beta) = 0;
    /// hbar = h - first hbar, x += second hbar, h = v - third h. Returns |x|.
    virtual double update(double first, double second, double third) = 0;
    virtual std::vector<double> solution() = 0;
};

template <class T>
std::unique_ptr<StackedVectors> make_cpu_stacked(const SparseMatrix<T>& a, ThreadPool& threads);

/// Through cuSPARSE. Throws CudaError.
template <class T>
std::unique_ptr<StackedVectors> make_cuda_stacked(const SparseMatrix<T>& a, CudaStream& stream);

struct StackedRun {
    std::int64_t iterations = 0;
    RidgeStop stop = RidgeStop::none;
};

/// LSMR with SciPy's stopping rules. `go_on` is asked at every iteration and may throw.
StackedRun run_stacked_lsmr(StackedVectors& vectors,
                            std::span<const double> d,
                            double c,
                            std::int64_t most,
                            const std::function<void()>& go_on);

}  // namespace stencil
