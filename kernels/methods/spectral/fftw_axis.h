// Real transforms along one axis by FFTW, two lines at a time as the parts of a complex one.
#pragma once

#include <vector>

#include "kernels/methods/spectral/fftw_plan.h"
#include "kernels/methods/spectral/spectral_axis.h"
#include "kernels/methods/spectral/spectral_modes.h"

namespace stencil {

/// What the transforms of one axis need.
template <class T>
struct FftwAxis {
    /// `line` is an FFT's line like those to come.
    FftwAxis(Boundary boundary, int cells, int fft_length, Complex<T>* line)
        : n(cells),
          length(fft_length),
          angles(mode_angles(boundary, cells)),
          twiddles(mode_twiddles<T>(cells)),
          forward(fft_length, line, FFTW_FORWARD),
          backward(fft_length, line, FFTW_BACKWARD) {}

    /// cell(i) gives two lines' numbers, put(k, c) gets their coefficients; z is the FFT's line.
    template <Boundary B, class Get, class Put>
    void to_coefficients(Complex<T>* z, const Get& cell, const Put& put) const {
        for (int j = 0; j < length; ++j) z[j] = SpectralAxis<B>::input(j, n, cell);
        forward.run(z);
        for (int k = 0; k < n; ++k) put(k, SpectralAxis<B>::coefficient(k, n, z, twiddles.data()));
    }

    /// And back, times `length`.
    template <Boundary B, class Get, class Put>
    void to_cells(Complex<T>* z, const Get& coefficient, const Put& put) const {
        for (int j = 0; j < length; ++j) z[j] = SpectralAxis<B>::spectrum(j, n, coefficient, twiddles.data());
        backward.run(z);
        for (int i = 0; i < n; ++i) put(i, z[SpectralAxis<B>::position(i, n)]);
    }

    int n, length;
    std::vector<ModeAngle> angles;
    std::vector<Complex<T>> twiddles;
    FftwPlan<T> forward, backward;
};

/// Two lines on their way through the transforms.
template <class T>
struct Pair {
    T* first;
    T* second;  ///< the same as the first where there is none left

    Complex<T> at(std::ptrdiff_t i) const { return {first[i], second[i]}; }
    void set(std::ptrdiff_t i, Complex<T> value) const {
        second[i] = value.im;
        first[i] = value.re;
    }
};

}  // namespace stencil
