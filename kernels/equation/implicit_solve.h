// The linear systems of implicit (IMEX) steps and elliptic equations: transforms decouple them into a small
// system per mode.
#pragma once

#include <vector>

#include "kernels/equation/field_operator.h"
#include "kernels/equation/program.h"
#include "kernels/equation/wave_system.h"
#include "kernels/field/field_view.h"
#include "kernels/methods/spectral/fftw_axis.h"
#include "kernels/methods/spectral/strip_exchange.h"

namespace stencil::equation {

/// Solves A `to` = `from` for all fields of a linear part at once: sine, cosine or Fourier transforms along
/// either axis (kernels/methods/spectral) in precision T, and the systems in float64. Distributed fields are
/// transposed between rows and columns. The bits depend neither on the number of threads nor on the number of
/// processes.
template <class T>
class ImplicitSolve : public FieldOperator<T> {
  public:
    /// `rows` is the shape of the local rows.
    ImplicitSolve(const LinearPart& part, FieldShape rows, const ExecutionSpace& on);

    /// Sets the coefficients of the linear part's terms, in their order.
    void set(const std::vector<double>& coefficients, double dt) override;
    void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) override;

  private:
    static constexpr int kPairs = FftwLines<T>::kPairs;

    template <Modes M>
    void solve_columns(const std::vector<FieldView<T>>& columns, Complex<T>* own, int x0);
    void solve_waves(Complex<T>* coefficients, int x, int next_x) const;

    LinearPart part_;
    ExecutionSpace on_;
    FieldShape whole_;
    WavePolynomials polynomials_;
    /// For a distributed field: the columns that this process solves, from first_column_ on.
    std::vector<AlignedBuffer<T>> memory_;
    std::vector<FieldView<T>> strips_;
    int first_column_ = 0;
    /// Work lines: a cache line of columns of each component, and the coefficients of a pair of columns.
    FftwLines<T> lines_;
    FftwAxis<T> rows_, columns_;
};

}  // namespace stencil::equation
