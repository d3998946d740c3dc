// The mathematics of the method `spectral`, for host and device. An explicit step is diagonal in sines (zero
// boundary: DST-I), cosines (insulated: DCT-II) or sines and cosines together (periodic: discrete Hartley
// transform) along either axis. All three are real and linear, so two rows are transformed as the real and
// imaginary part of one complex row by a single complex FFT, with a reordering before it and a combination of
// two of its frequencies after it:
//
//  - zero, n cells: the odd extension of the row, with period M = 2 (n + 1); S_k = (i / 2) Z_(k+1),
//    inverse Z_(k+1) = -2i S_k.
//  - insulated: even cells forward, then odd ones backward (Makhoul 1980), M = n, w = exp(-i pi / 2n);
//    C_k = (w^k Z_k + w^-k Z_(n-k)) / 2, inverse Z_k = w^-k (C_k - i C_(n-k)) with C_n = 0.
//  - periodic: no reordering, M = n; H_k = ((1 + i) Z_k + (1 - i) Z_(n-k)) / 2,
//    inverse Z_k = ((1 - i) H_k + (1 + i) H_(n-k)) / 2.
//
// Other ends have modes of their own:
//
//  - values: DST-II, which is DCT-II of the cells times (-1)^i, its modes in reverse order.
//  - insulated_value: DCT-IV; reordered as for `insulated` with the odd cells negative, times exp(-i pi j /
//  n);
//    w_k = exp(-i pi (2k + 1) / 4n), C_k = (w_k Z_k + conj(w_k) Z_(n-1-k)) / 2,
//    inverse Z_k = conj(w_k) (C_k - i C_(n-1-k)). value_insulated is the same for the reversed line.
//  - general: a product with the matrix of the modes in place of the FFT (spectral_modes.h), on the CPU by
//    mode_product.h.
//
// "Inverse" leads from coefficients to frequencies; the inverse FFT then gives M times the cells.
#pragma once

#include "kernels/field/host_device.h"
#include "kernels/methods/spectral/modes.h"

namespace stencil {

/// Has the layout of FFTW's and cuFFT's complex numbers.
template <class T>
struct alignas(2 * sizeof(T)) Complex {
    T re, im;
};

template <class T>
STENCIL_HOST_DEVICE constexpr Complex<T> operator+(Complex<T> a, Complex<T> b) {
    return {a.re + b.re, a.im + b.im};
}

template <class T>
STENCIL_HOST_DEVICE constexpr Complex<T> operator-(Complex<T> a, Complex<T> b) {
    return {a.re - b.re, a.im - b.im};
}

template <class T>
STENCIL_HOST_DEVICE constexpr Complex<T> operator*(Complex<T> a, Complex<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class T>
STENCIL_HOST_DEVICE constexpr Complex<T> conjugate(Complex<T> a) {
    return {a.re, -a.im};
}

template <class T>
STENCIL_HOST_DEVICE constexpr Complex<T> times_i(Complex<T> a) {
    return {-a.im, a.re};
}

/// (a + b) / 2
template <class T>
STENCIL_HOST_DEVICE constexpr Complex<T> middle(Complex<T> a, Complex<T> b) {
    return {T(0.5) * (a.re + b.re), T(0.5) * (a.im + b.im)};
}

/// The factors of a mode for the first and the second row of a pair.
struct Factors {
    double first, second;
};

template <class T>
STENCIL_HOST_DEVICE constexpr Complex<T> operator*(Factors f, Complex<T> c) {
    // A missing mode stays 0, even if the factor is infinite.
    return {c.re == 0 ? T(0) : T(f.first * c.re), c.im == 0 ? T(0) : T(f.second * c.im)};
}

/// One axis of n cells. Cells and coefficients are read through functions that map an index to a complex
/// number. z is the FFT's row of length(n) numbers; w are the axis' mode_twiddles().
template <Modes M>
struct SpectralAxis {
    /// Length of the FFT.
    STENCIL_HOST_DEVICE static constexpr int length(int n) { return M == Modes::zero ? 2 * (n + 1) : n; }

    /// Input j of the forward FFT, from the cells.
    template <class F, class T>
    STENCIL_HOST_DEVICE static auto input(int j, int n, const F& cell, const Complex<T>* w) {
        if constexpr (M == Modes::zero) {
            return odd(j, n, cell);
        } else if constexpr (kReordered) {
            const int even = j < (n + 1) / 2 ? 2 * j : 2 * (n - j) - 1;
            const auto own = cell(M == Modes::value_insulated ? n - 1 - even : even);
            return turned(j, n, own, w, false);
        } else {
            return cell(j);
        }
    }

    /// Coefficient k, from the output of the forward FFT.
    template <class T>
    STENCIL_HOST_DEVICE static Complex<T> coefficient(int k,
                                                      int n,
                                                      const Complex<T>* z,
                                                      const Complex<T>* w) {
        if constexpr (M == Modes::zero)
            return {T(-0.5) * z[k + 1].im, T(0.5) * z[k + 1].re};
        else if constexpr (M == Modes::general)
            return z[k];
        else
            return combine(z[k], z[partner(k, n)], w + k);
    }

    /// Input j of the inverse FFT, from the coefficients.
    template <class F, class T>
    STENCIL_HOST_DEVICE static Complex<T> spectrum(int j, int n, const F& coefficient, const Complex<T>* w) {
        if constexpr (M == Modes::zero) {
            const Complex<T> c = odd(j, n, coefficient);
            return {2 * c.im, -2 * c.re};
        } else if constexpr (M == Modes::general) {
            return coefficient(j);
        } else {
            return separate(j, coefficient(j), coefficient(partner(j, n)), w + j);
        }
    }

    /// Cell i, from the output of the inverse FFT.
    template <class T>
    STENCIL_HOST_DEVICE static Complex<T> cell(int i, int n, const Complex<T>* z, const Complex<T>* w) {
        const int j = position(M == Modes::value_insulated ? n - 1 - i : i, n);
        return turned(j, n, z[j], w, true);
    }

    /// The index at which the inverse FFT leaves cell i.
    STENCIL_HOST_DEVICE static int position(int i, int n) {
        if constexpr (M == Modes::zero)
            return i + 1;
        else if constexpr (kReordered)
            return i % 2 == 0 ? i / 2 : n - (i + 1) / 2;
        else
            return i;
    }

    /// Multiplies coefficients in place between the FFTs: call filter(k, ...) for all k in [0, filters(n)),
    /// in any order; factors(k) gives the Factors of coefficient k.
    STENCIL_HOST_DEVICE static constexpr int filters(int n) { return M == Modes::zero ? n : n / 2 + 1; }

    template <class F, class T>
    STENCIL_HOST_DEVICE static void filter(
        int k, int n, Complex<T>* z, const Complex<T>* w, const F& factors) {
        const auto here = factors(k);
        if constexpr (M == Modes::zero) {
            const Complex<T> c = here * coefficient(k, n, z, w);
            z[k + 1] = {2 * c.im, -2 * c.re};
            z[2 * n + 1 - k] = {-2 * c.im, 2 * c.re};
            if (k == 0) z[0] = z[n + 1] = {0, 0};
        } else {
            const int other = partner(k, n);
            const auto there = M == Modes::periodic ? here : factors(other);
            const Complex<T> a = here * coefficient(k, n, z, w);
            const Complex<T> b = there * coefficient(other, n, z, w);
            z[k] = separate(k, a, b, w + k);
            z[other] = separate(other, b, a, w + other);
        }
    }

  private:
    static constexpr bool kMixed = M == Modes::insulated_value || M == Modes::value_insulated;
    static constexpr bool kReordered = kMixed || M == Modes::insulated || M == Modes::values;

    STENCIL_HOST_DEVICE static int partner(int k, int n) { return kMixed ? n - 1 - k : k == 0 ? 0 : n - k; }

    // The factor of the FFT's number j, or its reciprocal.
    template <class T>
    STENCIL_HOST_DEVICE static Complex<T> turned(int j, int n, Complex<T> c, const Complex<T>* w, bool back) {
        if constexpr (kMixed || M == Modes::values)
            if (j >= (n + 1) / 2) c = {-c.re, -c.im};
        if constexpr (kMixed) return (back ? conjugate(w[n + j]) : w[n + j]) * c;
        return c;
    }

    // Entry j of the odd extension.
    template <class F>
    STENCIL_HOST_DEVICE static auto odd(int j, int n, const F& entry) -> decltype(entry(0)) {
        if (j == 0 || j == n + 1) return {0, 0};
        if (j <= n) return entry(j - 1);
        const auto mirrored = entry(2 * n + 1 - j);
        return {-mirrored.re, -mirrored.im};
    }

    // A coefficient from its frequency and the partner's.
    template <class T>
    STENCIL_HOST_DEVICE static Complex<T> combine(Complex<T> z, Complex<T> other, const Complex<T>* w) {
        if constexpr (kReordered) return middle(*w * z, conjugate(*w) * other);
        return middle(z + times_i(z), other - times_i(other));
    }

    // Frequency k from coefficient k and the partner's.
    template <class T>
    STENCIL_HOST_DEVICE static Complex<T> separate(int k,
                                                   Complex<T> c,
                                                   Complex<T> other,
                                                   const Complex<T>* w) {
        if constexpr (kReordered) return k == 0 && !kMixed ? c : conjugate(*w) * (c - times_i(other));
        return middle(c - times_i(c), other + times_i(other));
    }
};

}  // namespace stencil
