// The method `spectral` on the CPU: exact n-step propagation by transforming rows and columns, multiplying
// every mode by a factor, and transforming back; in place, rows two at a time, columns as many as share a
// cache line. A distributed field is transposed between strips of rows and of columns. Every line undergoes
// the same operations on any number of processes, so the bits are the same. Under the zero boundary there are
// two other ways (cpu_jump.h), and this one only where it is quicker.

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"
#include "kernels/field/padded_rows.h"
#include "kernels/methods/spectral/cpu_jump.h"
#include "kernels/methods/spectral/fftw_axis.h"
#include "kernels/methods/spectral/spectral_modes.h"
#include "kernels/methods/spectral/strip_exchange.h"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

template <class T>
struct AxisPlan : FftwAxis<T> {
    AxisPlan(Boundary boundary, int cells, Complex<T>* row)
        : FftwAxis<T>(modes_of(boundary), cells, row), correction(std::size_t(cells), 1.0) {}

    template <Modes M>
    void measure_correction(Complex<T>* z);

    /// For each mode, the FFT's length divided by the measured gain of a forward and inverse transform.
    std::vector<double> correction;
};

// In float32 the FFT's rounded twiddle factors change the gain of a round trip by up to an epsilon, which
// would accumulate over many calls. The deviation is nearly the same for all modes, except for mode 0 (the
// mean), which involves few twiddle factors.
template <class T>
template <Modes M>
void AxisPlan<T>::measure_correction(Complex<T>* z) {
    constexpr int kNumbers = 1 << 17;  // enough samples that their own roundings cancel
    const int rounds = std::max(1, kNumbers / this->n);
    std::minstd_rand random;
    const auto draw = [&] {
        const auto bits = random();
        return T(bits % 2 == 0 ? 1 : -1) * T(1 + double(bits) * 0x1p-31);
    };
    std::vector<Complex<T>> modes(correction.size()), cells(correction.size());
    const auto mode = [&](int k) { return modes[std::size_t(k)]; };
    double first = 0, first_squares = 0, others = 0;
    for (int round = 0; round < rounds; ++round) {
        for (Complex<T>& number : modes) number = {draw(), draw()};
        this->template to_cells<M>(z, mode, [&](int i, Complex<T> cell) { cells[std::size_t(i)] = cell; });
        const auto compare = [&](int k, Complex<T> back) {
            const double ratios = double(back.re) / mode(k).re + double(back.im) / mode(k).im;
            const double excess = ratios / (2.0 * this->length) - 1;
            (k == 0 ? first : others) += excess;
            if (k == 0) first_squares += excess * excess;
        };
        this->template to_coefficients<M>(
            z, [&](int i) { return cells[std::size_t(i)]; }, compare);
    }
    std::ranges::fill(correction, 1 / (1 + others / (double(rounds) * std::max(this->n - 1, 1))));
    // Mode 0 alone has few samples, so its correction is applied only if it is significant.
    const bool significant = first * first > 16 * first_squares;
    correction.front() = significant ? 1 / (1 + first / rounds) : 1;
}

template <class T>
class SpectralStepper : public Stepper<T> {
  public:
    SpectralStepper(const ExecutionSpace& on, FieldShape shape)
        : on_(on),
          rows_shape_(shape),
          whole_(whole_shape(on, shape)),
          lines_(*on.threads, whole_.nx, whole_.ny, kPairs, false) {
        if (!on.strips) return;
        const Strips& strips = on.strips->columns();
        first_column_ = strips.begin(on.strips->part());
        own_columns_ = strips.count(on.strips->part());
    }

    void advance(FieldPair<T>& fields, const DiffusionParams& params, long long steps) override {
        if (steps == 0 || params.coefficient == 0) return;
        prepare(fields, params.boundary);
        if (zero_ && zero_->advance(fields, params.coefficient, steps)) return;
        if (!rows_) plan_transforms(params.boundary);
        with_boundary(params.boundary,
                      [&](auto b) { jump<modes_of(b.value)>(fields.front, params.coefficient, steps); });
    }

    void prepare(FieldPair<T>&, Boundary boundary) override {
        if (planned_ == boundary) return;
        planned_.reset();
        zero_.reset();
        rows_.reset();
        columns_.reset();
        if (boundary == Boundary::zero)
            zero_.emplace(on_, rows_shape_);
        else
            plan_transforms(boundary);
        planned_ = boundary;
    }

    double largest_value(const DiffusionParams&) const override {
        // The transforms sum over all cells of the extended field.
        return this->kLargest / (4.0 * (whole_.nx + 1.0) * (whole_.ny + 1.0));
    }

  private:
    static constexpr int kPairs = FftwLines<T>::kPairs;

    void plan_transforms(Boundary boundary) {
        if (on_.strips && strip_.size() == 0) {
            strip_ = AlignedBuffer<T>(PaddedRows<T>::cells(own_columns_, whole_.ny));
            columns_strip_ = PaddedRows<T>::view(strip_.data(), own_columns_, whole_.ny);
        }
        rows_.emplace(boundary, whole_.nx, lines_.first());
        columns_.emplace(boundary, whole_.ny, lines_.first());
        with_boundary(boundary, [&](auto b) {
            if constexpr (std::is_same_v<T, float>)
                for (auto* axis : {&*rows_, &*columns_})
                    axis->template measure_correction<modes_of(b.value)>(lines_.first());
        });
    }

    template <Modes M>
    void jump(FieldView<T> u, double coefficient, long long steps);
    template <Modes M>
    void evolve_columns(FieldView<T> u, int x0, const SpectralJump& jump, Complex<T>* work);

    ExecutionSpace on_;
    FieldShape rows_shape_;
    FieldShape whole_;  ///< the whole field, also if distributed
    FftwLines<T> lines_;
    AlignedBuffer<T> strip_;      ///< transposed strip of a distributed field
    FieldView<T> columns_strip_;  ///< this process' columns, within strip_
    int first_column_ = 0;        ///< index of the first one
    int own_columns_ = 0;
    std::optional<Boundary> planned_;
    std::optional<zero_jump::CpuJump<T>> zero_;
    std::optional<AxisPlan<T>> rows_, columns_;
};

template <class T>
template <Modes M>
void SpectralStepper<T>::jump(FieldView<T> u, double coefficient, long long steps) {
    using Axis = SpectralAxis<M>;
    const SpectralJump jump(coefficient, steps, double(Axis::length(whole_.nx)) * Axis::length(whole_.ny));
    StripExchange* strips = on_.strips;
    const FieldView<T> columns = strips ? columns_strip_ : u;
    lines_.template transform_rows<M, false>(*rows_, u, u);
    if (strips) strips->exchange(cut_columns(u, strips->columns()), cut_rows(columns, strips->rows()), on_);
    lines_.for_each(ceil_div(columns.nx, 2 * kPairs),
                    std::int64_t(columns.nx) * columns.ny,
                    [&](Complex<T>* work, int i) { evolve_columns<M>(columns, 2 * kPairs * i, jump, work); });
    if (strips) strips->exchange(cut_rows(columns, strips->rows()), cut_columns(u, strips->columns()), on_);
    lines_.template transform_rows<M, true>(*rows_, u, u);
}

// Transforms a cache line of columns, multiplies the modes, and transforms back.
template <class T>
template <Modes M>
void SpectralStepper<T>::evolve_columns(FieldView<T> u, int x0, const SpectralJump& jump, Complex<T>* work) {
    using Axis = SpectralAxis<M>;
    const int n = u.ny;
    const int pairs = std::min(kPairs, (u.nx - x0 + 1) / 2);
    const auto column_pair = [&](int pair, int y) {
        const int x = x0 + 2 * pair;
        return Pair<T>{&u.at(x, y), &u.at(std::min(x + 1, u.nx - 1), y)};
    };
    for (int j = 0; j < Axis::length(n); ++j)
        for (int pair = 0; pair < pairs; ++pair)
            work[std::ptrdiff_t(pair) * lines_.pitch() + j] = Axis::input(
                j, n, [&](int y) { return column_pair(pair, y).at(0); }, columns_->twiddles.data());
    for (int pair = 0; pair < pairs; ++pair) {
        Complex<T>* z = work + std::ptrdiff_t(pair) * lines_.pitch();
        const int x = x0 + 2 * pair;
        const auto x1 = std::size_t(first_column_ + x);
        const auto x2 = std::size_t(first_column_ + std::min(x + 1, u.nx - 1));
        const ModeAngle first = rows_->angles[x1], second = rows_->angles[x2];
        const double correction1 = rows_->correction[x1], correction2 = rows_->correction[x2];
        columns_->forward.run(z);
        for (int k = 0; k < Axis::filters(n); ++k)
            Axis::filter(k, n, z, columns_->twiddles.data(), [&](int mode) {
                const ModeAngle& along = columns_->angles[std::size_t(mode)];
                const double correction = columns_->correction[std::size_t(mode)];
                return Factors{jump.factor(first, along) * (correction1 * correction),
                               jump.factor(second, along) * (correction2 * correction)};
            });
        columns_->backward.run(z);
    }
    for (int y = 0; y < n; ++y)
        for (int pair = 0; pair < pairs; ++pair)
            column_pair(pair, y).set(0, work[std::ptrdiff_t(pair) * lines_.pitch() + Axis::position(y, n)]);
}

}  // namespace

std::string spectral_unfit(FieldShape shape) {
    constexpr int kMax = std::numeric_limits<int>::max() / 2 - 1;
    if (std::max(shape.nx, shape.ny) <= kMax) return "";
    std::string why = "its transforms count to twice a row or column, which may have at most ";
    why += std::to_string(kMax);
    return why + " cells";
}

std::string spectral_cpu_unsupported(FieldShape shape, std::size_t cell_bytes) {
    const std::string& why_none = why_no_fftw(cell_bytes);
    return why_none.empty() ? spectral_unfit(shape) : why_none;
}

template <class T>
std::unique_ptr<Stepper<T>> make_spectral_cpu(const ExecutionSpace& execution, FieldShape shape) {
    return std::make_unique<SpectralStepper<T>>(execution, shape);
}

template std::unique_ptr<Stepper<float>> make_spectral_cpu<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_spectral_cpu<double>(const ExecutionSpace&, FieldShape);

}  // namespace stencil
