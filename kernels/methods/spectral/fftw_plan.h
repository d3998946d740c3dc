// Complex FFTs by FFTW in either precision.
#pragma once

#include <mutex>
#include <new>
#include <utility>

#include "kernels/methods/spectral/fftw.h"
#include "kernels/methods/spectral/spectral_axis.h"

namespace stencil {

template <class T>
struct Fftw;

template <>
struct Fftw<float> {
    using Number = fftwf_complex;
    using Plan = fftwf_plan;
    static auto make() { return FFTWF(fftwf_plan_many_dft); }
    static auto execute() { return FFTWF(fftwf_execute_dft); }
    static auto destroy() { return FFTWF(fftwf_destroy_plan); }
};

template <>
struct Fftw<double> {
    using Number = fftw_complex;
    using Plan = fftw_plan;
    static auto make() { return FFTW(fftw_plan_many_dft); }
    static auto execute() { return FFTW(fftw_execute_dft); }
    static auto destroy() { return FFTW(fftw_destroy_plan); }
};

/// An unnormalised in-place FFT of one size, for rows or arrays aligned to cache lines.
template <class T>
class FftwPlan {
  public:
    /// `row` must be aligned like the rows to come; its contents are kept. `sign` is FFTW_FORWARD or
    /// FFTW_BACKWARD.
    FftwPlan(int length, Complex<T>* row, int sign) : FftwPlan(1, length, length, row, sign) {}
    /// Plans a transform of `rows` x `columns` numbers; a row starts `pitch` numbers after the one before.
    FftwPlan(int rows, int columns, int pitch, Complex<T>* z, int sign) {
        const int sizes[] = {rows, columns}, stored[] = {rows, pitch};
        const int unused = rows == 1 ? 1 : 0;  // dimensions
        const std::lock_guard lock(fftw_planner());
        plan_ = Fftw<T>::make()(2 - unused,
                                sizes + unused,
                                1,
                                numbers(z),
                                stored + unused,
                                1,
                                0,
                                numbers(z),
                                stored + unused,
                                1,
                                0,
                                sign,
                                FFTW_ESTIMATE);
        if (!plan_) throw std::bad_alloc();
    }
    ~FftwPlan() {
        if (!plan_) return;
        const std::lock_guard lock(fftw_planner());
        Fftw<T>::destroy()(plan_);
    }
    FftwPlan(FftwPlan&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
    FftwPlan& operator=(FftwPlan&&) = delete;

    /// Thread-safe.
    void run(Complex<T>* row) const { Fftw<T>::execute()(plan_, numbers(row), numbers(row)); }

  private:
    static auto numbers(Complex<T>* row) { return reinterpret_cast<typename Fftw<T>::Number*>(row); }

    typename Fftw<T>::Plan plan_ = nullptr;
};

}  // namespace stencil
