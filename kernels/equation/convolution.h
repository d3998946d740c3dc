// Convolutions of a whole field with kernels, by FFT.
#pragma once

#include <memory>
#include <vector>

#include "kernels/equation/field_operator.h"
#include "kernels/equation/program.h"
#include "kernels/methods/method.h"

namespace stencil::equation {

/// The convolutions of one field with all kernels of a linear part, by complex FFTs of two real lines at a
/// time over the field extended by its outsides. They are computed in float64 for float32 fields too, because
/// FFTW's float32 rounds more than NumPy's if a length has large prime factors. Distributed fields are
/// transposed between rows and columns. The bits depend neither on the number of threads nor on the number of
/// processes.
template <class T>
class Convolution : public FieldOperator<T> {
  public:
    /// `rows` is the shape of the local rows.
    Convolution(const LinearPart& part, FieldShape rows, const ExecutionSpace& on);
    ~Convolution() override;

    /// Recomputes and transforms the kernels that have changed. `scalars` are the program's scalars.
    void set(const std::vector<double>& scalars, double dt) override;
    void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) override;

  private:
    struct Spectra;
    std::unique_ptr<Spectra> spectra_;
};

}  // namespace stencil::equation
