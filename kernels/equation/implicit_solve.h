// The linear systems of implicit (IMEX) steps and elliptic equations: transforms decouple them into a small
// system per mode.
#pragma once

#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/field_operator.h"
#include "kernels/equation/program.h"
#include "kernels/equation/wave_system.h"
#include "kernels/field/field_view.h"
#include "kernels/methods/spectral/fftw_axis.h"

namespace stencil::equation {

/// Solves A `to` = `from` for all fields of a linear part at once: sine, cosine or Fourier transforms along
/// either axis (kernels/methods/spectral) in precision T, and the systems in float64. The bits do not depend
/// on the number of threads.
template <class T>
class ImplicitSolve : public FieldOperator<T> {
  public:
    ImplicitSolve(const LinearPart& part, int nx, int ny, ThreadPool& threads);

    /// Sets the coefficients of the linear part's terms, in their order.
    void set(const std::vector<double>& coefficients, double dt) override;
    void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) override;

  private:
    static constexpr int kPairs = FftwLines<T>::kPairs;

    template <Boundary B>
    void solve_columns(const std::vector<FieldView<T>>& to, Complex<T>* own, int x0);
    void solve_waves(Complex<T>* coefficients, int x) const;

    LinearPart part_;
    WavePolynomials polynomials_;
    /// A cache line of columns of each component, and a pair's coefficients.
    FftwLines<T> lines_;
    FftwAxis<T> rows_, columns_;
};

}  // namespace stencil::equation
