// Real transforms along one axis by FFTW, two lines as one complex line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/subnormals.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"
#include "kernels/field/field_view.h"
#include "kernels/methods/spectral/fftw_plan.h"
#include "kernels/methods/spectral/mode_product.h"
#include "kernels/methods/spectral/spectral_axis.h"
#include "kernels/methods/spectral/spectral_modes.h"

namespace stencil {

/// Plans and tables for the transforms along one axis.
template <class T>
struct FftwAxis {
    /// `line` must be aligned like the lines that will be transformed.
    FftwAxis(Modes modes, int cells, Complex<T>* line)
        : n(cells),
          length(with_modes(modes, [&](auto m) { return SpectralAxis<m.value>::length(cells); })),
          angles(mode_angles(modes, cells)),
          twiddles(mode_twiddles<T>(modes, cells)),
          forward(length, line, FFTW_FORWARD),
          backward(length, line, FFTW_BACKWARD) {}

    /// Sets general modes.
    void set(const GeneralModes& modes) {
        angles = modes.angles;
        to_modes = packed_factors(modes.matrix<T>(false), n);
        from_modes = packed_factors(modes.matrix<T>(true), n);
    }

    /// Transforms kLinesTogether lines of general modes: get(i, line) returns the numbers of the first
    /// `lines` of them, put(k, line, value) receives the results; `work` has room for n lines twice.
    template <class Get, class Put>
    void multiply(T* work, int lines, bool back, const Get& get, const Put& put) const {
        constexpr int kLines = kLinesTogether<T>;
        T* const products = work + std::ptrdiff_t(n) * kLines;
        for (int i = 0; i < n; ++i)
            for (int line = 0; line < kLines; ++line)
                work[std::ptrdiff_t(i) * kLines + line] = line < lines ? get(i, line) : T(0);
        multiply_lines(back ? from_modes : to_modes, n, work, products);
        for (int line = 0; line < lines; ++line)
            for (int k = 0; k < n; ++k) put(k, line, products[std::ptrdiff_t(k) * kLines + line]);
    }

    /// For other than general modes. cell(i) returns the elements of two lines, put(k, c) receives their
    /// coefficients; z is the FFT's buffer, with room for 2 n numbers.
    template <Modes M, class Get, class Put>
    void to_coefficients(Complex<T>* z, const Get& cell, const Put& put) const {
        for (int j = 0; j < length; ++j) z[j] = SpectralAxis<M>::input(j, n, cell, twiddles.data());
        forward.run(z);
        for (int k = 0; k < n; ++k) put(k, SpectralAxis<M>::coefficient(k, n, z, twiddles.data()));
    }

    /// The inverse, times `length`.
    template <Modes M, class Get, class Put>
    void to_cells(Complex<T>* z, const Get& coefficient, const Put& put) const {
        for (int j = 0; j < length; ++j) z[j] = SpectralAxis<M>::spectrum(j, n, coefficient, twiddles.data());
        backward.run(z);
        for (int i = 0; i < n; ++i) put(i, SpectralAxis<M>::cell(i, n, z, twiddles.data()));
    }

    int n, length;
    std::vector<ModeAngle> angles;
    std::vector<Complex<T>> twiddles;
    std::vector<T> to_modes, from_modes;  ///< packed factors of general modes
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

/// Work lines for transforms of rows, and of columns as wide as a cache line.
template <class T>
class FftwLines {
  public:
    /// Pairs of columns transformed together, one cache line wide.
    static constexpr int kPairs = int(AlignedBuffer<T>::kAlignment / sizeof(T)) / 2;

    /// Lines that FftwAxis::multiply() works in.
    static constexpr int kProductLines = kPairs;

    /// Each thread has `lines` work lines for fields of nx x ny cells. `flush` flushes subnormals.
    FftwLines(ThreadPool& threads, int nx, int ny, int lines, bool flush)
        : threads_(threads),
          flush_(flush),
          pitch_(round_up(2 * (std::max(nx, ny) + 1), int(AlignedBuffer<T>::kAlignment / sizeof(T)))),
          lines_(std::size_t(lines)),
          work_(std::size_t(pitch_) * lines_ * std::size_t(threads.size())) {}

    int pitch() const { return pitch_; }
    Complex<T>* first() { return work_.data(); }

    /// Calls f(work, i) for i in [0, count) on as many threads as `cells` justify, each with its own work
    /// lines.
    template <class F>
    void for_each(std::int64_t count, std::int64_t cells, const F& f) {
        constexpr std::int64_t kLeastCells = 4096;  // for fewer cells, waking a thread takes longer than the
                                                    // work
        const std::int64_t parts = std::clamp<std::int64_t>(cells / kLeastCells, 1, threads_.size());
        const auto run = [&](int thread) {
            const SubnormalsAsZero quick(flush_);
            Complex<T>* own = work_.data() + std::size_t(thread) * lines_ * std::size_t(pitch_);
            for (std::int64_t i = count * thread / parts; i < count * (thread + 1) / parts; ++i)
                f(own, int(i));
        };
        if (parts == 1) return run(0);
        threads_.run([&](int thread) {
            if (thread < parts) run(thread);
        });
    }

    /// Transforms rows of cells to coefficients, or with kBack the other way, two at a time.
    template <Modes M, bool kBack>
    void transform_rows(const FftwAxis<T>& axis, FieldView<T> from, FieldView<T> to) {
        if constexpr (M == Modes::general) {
            constexpr int kLines = kLinesTogether<T>;
            const std::int64_t blocks = ceil_div(from.ny, kLines);
            return for_each(blocks, std::int64_t(from.nx) * from.ny, [&](Complex<T>* own, int block) {
                const int y = block * kLines;
                axis.multiply(
                    &own->re,
                    std::min(kLines, from.ny - y),
                    kBack,
                    [&](int i, int line) { return from.at(i, y + line); },
                    [&](int k, int line, T value) { to.at(k, y + line) = value; });
            });
        }
        const auto pair_of = [](FieldView<T> field, int i) {
            return Pair<T>{field.row(2 * i), field.row(std::min(2 * i + 1, field.ny - 1))};
        };
        for_each((from.ny + 1) / 2, std::int64_t(from.nx) * from.ny, [&](Complex<T>* z, int i) {
            const auto get = [in = pair_of(from, i)](int k) { return in.at(k); };
            const auto put = [out = pair_of(to, i)](int k, Complex<T> value) { out.set(k, value); };
            if constexpr (kBack)
                axis.template to_cells<M>(z, get, put);
            else
                axis.template to_coefficients<M>(z, get, put);
        });
    }

  private:
    ThreadPool& threads_;
    bool flush_;
    int pitch_;
    std::size_t lines_;
    AlignedBuffer<Complex<T>> work_;  ///< (threads, lines, pitch)
};

}  // namespace stencil
