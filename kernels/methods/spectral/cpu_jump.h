// Jumps under the zero boundary on the CPU, by tiles or by modes (zero_jump.h has the mathematics).
#pragma once

#include <algorithm>
#include <numbers>
#include <optional>
#include <random>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/methods/spectral/fftw_plan.h"
#include "kernels/methods/spectral/zero_jump.h"

namespace stencil::zero_jump {

/// A matrix by the distances between its rows and between its columns.
template <class T>
struct Matrix {
    T* data;
    std::ptrdiff_t row, column;

    T& at(int y, int x) const { return data[y * row + x * column]; }
};

/// c = a b of m x depth and depth x n elements. Long sums are sums of short ones, for their rounding. Each
/// element has the same bits on any number of threads and for any m.
template <class T>
void product(
    ThreadPool& threads, Matrix<const T> a, Matrix<const T> b, Matrix<T> c, int m, int n, int depth) {
    constexpr int kRows = 4, kColumns = 64, kDepth = 128;
    threads.for_ranges(ceil_div(m, kRows), [&](std::int64_t begin, std::int64_t end) {
        std::vector<T> block(kDepth * kColumns), left(kDepth * kRows);
        for (int x0 = 0; x0 < n; x0 += kColumns)
            for (int k0 = 0; k0 < depth; k0 += kDepth) {
                const int deep = std::min(kDepth, depth - k0);
                for (int k = 0; k < deep; ++k)
                    for (int x = 0; x < kColumns; ++x)
                        block[std::size_t(k * kColumns + x)] = x0 + x < n ? b.at(k0 + k, x0 + x) : T(0);
                for (int y0 = int(begin) * kRows; y0 < std::min(int(end) * kRows, m); y0 += kRows) {
                    for (int y = 0; y < kRows; ++y)
                        for (int k = 0; k < deep; ++k)
                            left[std::size_t(k * kRows + y)] = y0 + y < m ? a.at(y0 + y, k0 + k) : T(0);
                    T sums[kRows][kColumns] = {};
                    for (int k = 0; k < deep; ++k) {
                        const T* right = &block[std::size_t(k * kColumns)];
                        for (int y = 0; y < kRows; ++y) {
                            const T factor = left[std::size_t(k * kRows + y)];
                            for (int x = 0; x < kColumns; ++x) sums[y][x] += factor * right[x];
                        }
                    }
                    for (int y = 0; y < std::min(kRows, m - y0); ++y)
                        for (int x = 0; x < std::min(kColumns, n - x0); ++x) {
                            T& element = c.at(y0 + y, x0 + x);
                            element = k0 == 0 ? sums[y][x] : element + sums[y][x];
                        }
                }
            }
    });
}

/// The tiles' FFT, and what a jump multiplies its modes by.
template <class T>
struct TileFilter {
    TileFilter(const Plan& plan, double coefficient, long long steps, Complex<T>* z)
        : nx(plan.x.length),
          ny(plan.y.length),
          pitch(pitch_of(nx)),
          forward(ny, nx, pitch, z, FFTW_FORWARD),
          backward(ny, nx, pitch, z, FFTW_BACKWARD) {
        const SpectralJump jump(coefficient, steps, measured_gain(z));
        const std::vector<ModeAngle> along_x = mode_angles(Modes::periodic, nx);
        const std::vector<ModeAngle> along_y = mode_angles(Modes::periodic, ny);
        for (int l = 0; l <= ny / 2; ++l)
            for (int k = 0; k <= nx / 2; ++k)
                factors.push_back(jump.factor(along_x[std::size_t(k)], along_y[std::size_t(l)]));
    }

    // Not a multiple of large powers of two, so that the numbers of a column share no cache set.
    static int pitch_of(int nx) { return nx + 8; }

    void apply(Complex<T>* z) const {
        forward.run(z);
        for (int l = 0; l < ny; ++l) {
            const double* line = factors.data() + std::ptrdiff_t(std::min(l, ny - l)) * (nx / 2 + 1);
            Complex<T>* numbers = z + std::ptrdiff_t(l) * pitch;
            for (int k = 0; k < nx; ++k) {
                const double factor = line[std::min(k, nx - k)];
                numbers[k] = Factors{factor, factor} * numbers[k];
            }
        }
        backward.run(z);
    }

    int nx, ny, pitch;
    FftwPlan<T> forward, backward;
    std::vector<double> factors;  ///< (ny / 2 + 1, nx / 2 + 1): mirrored modes have the same one

  private:
    // FFTW's rounded twiddle factors change the gain of a round trip by up to an epsilon, which would
    // accumulate over many calls.
    double measured_gain(Complex<T>* z) const {
        constexpr int kNumbers = 1 << 17;  // enough samples that their own roundings cancel
        std::minstd_rand random;
        std::vector<Complex<T>> before(std::size_t(pitch) * std::size_t(ny));
        double product = 0, square = 0;
        for (int numbers = 0; numbers < kNumbers; numbers += nx * ny) {
            for (Complex<T>& number : before)
                number = {T(double(random()) * 0x1p-30 - 1), T(double(random()) * 0x1p-30 - 1)};
            std::ranges::copy(before, z);
            forward.run(z);
            backward.run(z);
            for (int l = 0; l < ny; ++l)
                for (int k = 0; k < nx; ++k) {
                    const std::ptrdiff_t at = std::ptrdiff_t(l) * pitch + k;
                    const Complex<T> was = before[std::size_t(at)];
                    product += double(was.re) * z[at].re + double(was.im) * z[at].im;
                    square += double(was.re) * was.re + double(was.im) * was.im;
                }
        }
        return product / square;
    }
};

template <class T>
class CpuJump : public Jump<T> {
  public:
    CpuJump(const ExecutionSpace& on, FieldShape rows) : Jump<T>(on, rows, Device::cpu) {}

  private:
    using Jump<T>::on_;
    using Jump<T>::planner_;
    using Jump<T>::rows_;
    using Jump<T>::whole_;

    void jump_by_tiles(FieldPair<T>& fields, const Plan& plan, double coefficient, long long steps) override;
    void jump_by_modes(FieldView<T> u, const Plan& plan, double coefficient, long long steps) override;

    std::optional<TileFilter<T>> filter_;
    std::tuple<double, long long> filtered_;  ///< what the filter is for
    AlignedBuffer<Complex<T>> tiles_;         ///< a pair of tiles for each thread
    AlignedBuffer<T> read_;                   ///< rows of a distributed field
    AlignedBuffer<T> matrices_;
};

template <class T>
void CpuJump<T>::jump_by_tiles(FieldPair<T>& fields, const Plan& plan, double coefficient, long long steps) {
    const Lines own = rows_.own();
    const int across = plan.pairs_across();
    const int first = own.first / plan.y.own * across;
    const int end = own.count > 0 ? ceil_div(own.first + own.count, plan.y.own) * across : first;
    const auto threads = std::size_t(std::clamp(end - first, 1, on_.threads->size()));
    const auto tile =
        round_up(std::size_t(TileFilter<T>::pitch_of(plan.x.length)) * std::size_t(plan.y.length),
                 AlignedBuffer<T>::kAlignment);
    if (tiles_.size() < threads * tile) tiles_ = AlignedBuffer<Complex<T>>(threads * tile);
    if (!filter_ || filtered_ != std::tuple{coefficient, steps}) {
        filter_.reset();
        filter_.emplace(plan, coefficient, steps, tiles_.data());
        filtered_ = {coefficient, steps};
    }
    FieldView<T> rows = fields.front;
    Lines read = own;
    if (on_.strips) {
        read = rows_read(plan, own, whole_.ny);
        const std::size_t cells = std::size_t(whole_.nx) * std::size_t(std::max(read.count, 1));
        if (read_.size() < cells) read_ = AlignedBuffer<T>(cells);
        rows = {read_.data(), whole_.nx, read.count, whole_.nx};
        rows_.gather(
            fields.front, rows, [&](int part) { return rows_read(plan, rows_.of(part), whole_.ny); });
    }
    const FieldView<T> to = fields.back;
    const int reach = plan.reach, nx = whole_.nx, ny = whole_.ny;
    const auto filter_pair = [&](int pair, Complex<T>* z) {
        const int y0 = pair / across * plan.y.own;
        const int x1 = pair % across * 2 * plan.x.own, x2 = x1 + plan.x.own;
        for (int b = 0; b < plan.y.length; ++b) {
            const int y = y0 + b - reach;
            const OddCell row = y < ny + reach ? odd_cell(y, ny) : OddCell{0, 0};
            const T* cells = row.sign == 0 ? nullptr : rows.row(row.cell - read.first);
            const auto cell = [&](int x) {
                if (!cells || x >= nx + reach) return T(0);
                const OddCell column = x >= 0 && x < nx ? OddCell{x, 1} : odd_cell(x, nx);
                return column.sign == 0 ? T(0) : T(column.sign * row.sign) * cells[column.cell];
            };
            Complex<T>* line = z + std::ptrdiff_t(b) * filter_->pitch;
            for (int a = 0; a < plan.x.length; ++a) line[a] = {cell(x1 + a - reach), cell(x2 + a - reach)};
        }
        filter_->apply(z);
        for (int y = std::max(y0, own.first); y < std::min(y0 + plan.y.own, own.first + own.count); ++y) {
            const Complex<T>* line = z + std::ptrdiff_t(y - y0 + reach) * filter_->pitch + reach;
            T* out = to.row(y - own.first);
            for (int a = 0; a < std::min(plan.x.own, nx - x1); ++a) out[x1 + a] = line[a].re;
            for (int a = 0; a < std::min(plan.x.own, nx - x2); ++a) out[x2 + a] = line[a].im;
        }
    };
    on_.threads->run([&](int thread) {
        if (std::size_t(thread) >= threads) return;
        Complex<T>* z = tiles_.data() + std::size_t(thread) * tile;
        for (int pair = first + thread; pair < end; pair += int(threads)) filter_pair(pair, z);
    });
    fields.swap();
}

template <class T>
void CpuJump<T>::jump_by_modes(FieldView<T> u, const Plan& plan, double coefficient, long long steps) {
    const int nx = whole_.nx, ny = whole_.ny, kx = plan.along_x.count(), ky = plan.along_y.count();
    const ModeMatrices at(whole_, std::size_t(kx), std::size_t(ky), 0);
    if (matrices_.size() < at.cells) matrices_ = AlignedBuffer<T>(at.cells);
    T *const sines_x = matrices_.data() + at.sines_x, *const sines_y = matrices_.data() + at.sines_y;
    T* const modes = matrices_.data() + at.modes;
    for (const auto& [sines, left] : {std::pair{sines_x, plan.along_x}, std::pair{sines_y, plan.along_y}}) {
        const std::int64_t n = left.of;
        std::vector<T> turn(std::size_t(2 * (n + 1)));
        for (std::int64_t i = 0; i < std::ssize(turn); ++i)
            turn[std::size_t(i)] = T(std::sin(std::numbers::pi * double(i) / (double(n) + 1)));
        for (int row = 0; row < left.count(); ++row)
            for (std::int64_t i = 0; i < n; ++i)
                sines[row * n + i] = turn[std::size_t((i + 1) * (left.mode(row) + 1) % std::ssize(turn))];
    }
    ThreadPool& threads = *on_.threads;
    const Lines own = rows_.own();
    const FieldView<T> projected{matrices_.data() + at.rows, kx, ny, kx};
    const FieldView<T> own_rows = projected.rows(own.first, own.count);
    product<T>(threads, {u.data, u.pitch, 1}, {sines_x, 1, nx}, {own_rows.data, kx, 1}, own.count, kx, nx);
    if (on_.strips) rows_.gather(own_rows, projected, [&](int) { return Lines{0, ny}; });
    product<T>(threads, {sines_y, ny, 1}, {projected.data, kx, 1}, {modes, kx, 1}, ky, kx, ny);
    // The sines' inverse transform is the transform times 2 / (n + 1).
    const SpectralJump jump(coefficient, steps, 0.25 * (nx + 1.0) * (ny + 1.0));
    for (int l = 0; l < ky; ++l)
        for (int k = 0; k < kx; ++k) {
            T& number = modes[std::ptrdiff_t(l) * kx + k];
            const double factor = jump.factor(planner_.angles_x()[std::size_t(plan.along_x.mode(k))],
                                              planner_.angles_y()[std::size_t(plan.along_y.mode(l))]);
            number = number == 0 ? T(0) : T(factor * double(number));
        }
    product<T>(
        threads, {sines_y + own.first, 1, ny}, {modes, kx, 1}, {own_rows.data, kx, 1}, own.count, kx, ky);
    product<T>(threads, {own_rows.data, kx, 1}, {sines_x, nx, 1}, {u.data, u.pitch, 1}, own.count, nx, kx);
}

}  // namespace stencil::zero_jump
