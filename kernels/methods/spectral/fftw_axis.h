// Real transforms along one axis by FFTW, two lines as one complex line.
#pragma once

#include <vector>

#include "kernels/methods/spectral/fftw_plan.h"
#include "kernels/methods/spectral/spectral_axis.h"
#include "kernels/methods/spectral/spectral_modes.h"

namespace stencil {

/// Plans and tables for the transforms along one axis.
template <class T>
struct FftwAxis {
    /// `line` must be aligned like the lines that will be transformed.
    FftwAxis(Boundary boundary, int cells, int fft_length, Complex<T>* line)
        : n(cells),
          length(fft_length),
          angles(mode_angles(boundary, cells)),
          twiddles(mode_twiddles<T>(cells)),
          forward(fft_length, line, FFTW_FORWARD),
          backward(fft_length, line, FFTW_BACKWARD) {}

    /// cell(i) returns the elements of two lines, put(k, c) receives their coefficients; z is the FFT's
    /// buffer.
    template <Boundary B, class Get, class Put>
    void to_coefficients(Complex<T>* z, const Get& cell, const Put& put) const {
        for (int j = 0; j < length; ++j) z[j] = SpectralAxis<B>::input(j, n, cell);
        forward.run(z);
        for (int k = 0; k < n; ++k) put(k, SpectralAxis<B>::coefficient(k, n, z, twiddles.data()));
    }

    /// The inverse, times `length`.
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

/// Two lines that are transformed together.
template <class T>
struct Pair {
    T* first;
    T* second;  ///< equals first if there is no second line

    Complex<T> at(std::ptrdiff_t i) const { return {first[i], second[i]}; }
    void set(std::ptrdiff_t i, Complex<T> value) const {
        second[i] = value.im;
        first[i] = value.re;
    }
};

}  // namespace stencil
