// The linear systems of implicit steps, which transforms take apart into one small system for each wave.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/program.h"
#include "kernels/field/field_view.h"

namespace stencil::equation {

/// Solves (1 - share dt L) `to` = `from` for all components at once: sine, cosine or Fourier transforms along
/// either axis (kernels/methods/spectral) in precision T, and the systems in float64. Any number of threads
/// gives the same bits.
template <class T>
class ImplicitSolve {
  public:
    /// Of (ny, nx) cells.
    ImplicitSolve(const LinearPart& part, int components, int nx, int ny, ThreadPool& threads);
    ~ImplicitSolve();
    ImplicitSolve(const ImplicitSolve&) = delete;
    ImplicitSolve& operator=(const ImplicitSolve&) = delete;

    /// From the next solve on: values of the linear part's coefficients, in their order.
    void set(const std::vector<double>& coefficients, double dt);

    /// Views of all components in their order; none of `to` is one of `from`.
    void solve(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to);

  private:
    struct Transforms;
    std::unique_ptr<Transforms> transforms_;
};

extern template class ImplicitSolve<float>;
extern template class ImplicitSolve<double>;

}  // namespace stencil::equation
