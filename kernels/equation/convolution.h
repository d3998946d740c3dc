// Convolutions of a whole field with kernels, by FFT.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/field_operator.h"
#include "kernels/equation/program.h"

namespace stencil::equation {

/// The convolutions of one field with all kernels of a linear part: complex FFTs of two real lines at a time,
/// over the field and what lies outside of it. They are made in float64 for fields of float32, too: FFTW's
/// float32 rounds more than NumPy's where a length has large prime factors.
/// The bits do not depend on the number of threads.
template <class T>
class Convolution : public FieldOperator<T> {
  public:
    Convolution(const LinearPart& part, int nx, int ny, ThreadPool& threads);
    ~Convolution() override;

    /// Makes and transforms the kernels that have changed. `scalars` are those of the program.
    void set(const std::vector<double>& scalars, double dt) override;
    void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) override;

  private:
    struct Spectra;
    std::unique_ptr<Spectra> spectra_;
};

}  // namespace stencil::equation
