#include "kernels/equation/convolution.h"

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/equation/kernel_table.h"
#include "kernels/methods/spectral/fftw_axis.h"
#include "kernels/methods/spectral/strip_exchange.h"

namespace stencil::equation {
namespace {

// Element i < torus_length() of a line of n cells, which is extended beyond its end by `outside`.
template <class Cell>
auto element_of(Outside outside, int i, int n, const Cell& cell) -> decltype(cell(0)) {
    if (i < n) return cell(i);
    if (outside == Outside::zero) return {0, 0};
    const auto mirrored = cell(2 * n - 1 - i);
    if (outside == Outside::negated) return {-mirrored.re, -mirrored.im};
    return mirrored;
}

// Float64 FFT of a real field extended by its outsides. Rows become the real coefficients H of FftwAxis, in
// which H_k and H_(n-k) hold the frequency (H_k + H_(n-k))/2 + i (H_(n-k) - H_k)/2; then each frequency along
// x, from 0 to n/2, becomes a complex column. Both coefficients of a frequency are stored side by side, so
// that for a distributed field, whose rows are transformed locally, one transpose brings them to the process
// that owns the frequency.
class TorusTransform {
  public:
    /// Columns transformed together: one cache line of cells.
    static constexpr int kWidth = 2 * FftwLines<double>::kPairs;

    /// For a field of nx x ny cells, with room for `fields` spectra.
    TorusTransform(
        const std::array<Outside, 2>& outside, int nx, int ny, std::size_t fields, const ExecutionSpace& on)
        : outside_(outside),
          nx_(nx),
          ny_(ny),
          columns_(torus_length(outside[0], nx)),
          rows_(torus_length(outside[1], ny)),
          on_(on),
          of_rows_{ny, on.strips ? on.strips->rows().parts : 1},
          of_coefficients_{Strips::kUnit * frequencies(), of_rows_.parts},
          lines_(*on.threads, columns_, rows_, 2 * kWidth, false),
          along_x_(Modes::periodic, columns_, lines_.first()),
          along_y_(Modes::periodic, rows_, lines_.first()) {
        const int width = of_coefficients_.lines;
        for (std::size_t field = 0; field < (on.strips ? 1 : fields); ++field)
            buffers_.emplace_back(std::size_t(width) * std::size_t(local_rows()));
        for (std::size_t field = 0; field < (on.strips ? fields : 0); ++field)
            strips_.emplace_back(std::size_t(of_coefficients_.count(part())) * std::size_t(ny));
    }

    int columns() const { return columns_; }
    int rows() const { return rows_; }
    int first_row() const { return of_rows_.begin(part()); }
    int local_rows() const { return of_rows_.count(part()); }
    /// The frequencies along x that this process owns.
    int first_frequency() const { return of_coefficients_.begin(part()) / Strips::kUnit; }
    int local_frequencies() const { return of_coefficients_.count(part()) / Strips::kUnit; }

    /// The columns of frequencies `first` to `first + count - 1` along x, counted from first_frequency(), in
    /// lines that may be overwritten, followed by as many spare lines.
    struct Band {
        int first, count, pitch;
        Complex<double>* lines;
        Complex<double>* line(int i) const { return lines + std::ptrdiff_t(i) * pitch; }
        Complex<double>* spare(int i) const { return line(kWidth + i); }
    };

    /// Transforms the local rows of a field and calls at_band(band) for all local frequencies, on any thread.
    template <class Cell, class F>
    void forward(FieldView<Cell> field, const F& at_band) {
        const FieldView<double> coefficients = of_rows(0);
        lines_.for_each(row_pairs(), std::int64_t(columns_) * field.ny, [&](Complex<double>* z, int i) {
            const auto cell = [in = pair_of(field, i)](int x) {
                const Complex<Cell> pair = in.at(x);
                return Complex<double>{pair.re, pair.im};
            };
            along_x_.template to_coefficients<Modes::periodic>(
                z,
                [&](int x) { return element_of(outside_[0], x, nx_, cell); },
                [&, out = pair_of(coefficients, i)](int k, Complex<double> value) {
                    out.set(place_of(k), value);
                    if (is_alone(k)) out.set(place_of(k) + 1, value);
                });
        });
        if (on_.strips)
            on_.strips->exchange(
                cut_columns(coefficients, of_coefficients_), cut_rows(of_columns(0), of_rows_), on_);
        const int bands = ceil_div(local_frequencies(), kWidth);
        const std::int64_t cells = 2 * std::int64_t(local_frequencies()) * rows_;
        lines_.for_each(bands, cells, [&](Complex<double>* own, int i) {
            const int first = i * kWidth;
            const Band band{first, std::min(kWidth, local_frequencies() - first), lines_.pitch(), own};
            load(band);
            at_band(band);
        });
    }

    /// Transforms the columns line(i) back and stores them as columns of field `index`.
    template <class Line>
    void store(std::size_t index, const Band& band, const Line& line) {
        const FieldView<double> to = of_columns(index);
        for (int i = 0; i < band.count; ++i) along_y_.backward.run(line(i));
        for (int y = 0; y < ny_; ++y)
            for (int i = 0; i < band.count; ++i) {
                const bool alone = is_alone(first_frequency() + band.first + i);
                const Complex<double> z = line(i)[y];
                double* both = &to.at(Strips::kUnit * (band.first + i), y);
                both[0] = alone ? z.re : z.re - z.im;
                both[1] = alone ? z.re : z.re + z.im;
            }
    }

    /// Transforms the stored field `index` back to cells; the result is multiplied by columns() * rows().
    template <class Cell>
    void backward(std::size_t index, FieldView<Cell> to) {
        const FieldView<double> from = of_rows(index);
        if (on_.strips)
            on_.strips->exchange(
                cut_rows(of_columns(index), of_rows_), cut_columns(from, of_coefficients_), on_);
        lines_.for_each(row_pairs(), std::int64_t(columns_) * to.ny, [&](Complex<double>* z, int i) {
            along_x_.template to_cells<Modes::periodic>(
                z,
                [&, in = pair_of(from, i)](int k) { return in.at(place_of(k)); },
                [&, out = pair_of(to, i)](int x, Complex<double> value) {
                    if (x < nx_) out.set(x, {Cell(value.re), Cell(value.im)});
                });
        });
    }

  private:
    template <class Cell>
    static Pair<Cell> pair_of(FieldView<Cell> field, int i) {
        return {field.row(2 * i), field.row(std::min(2 * i + 1, field.ny - 1))};
    }

    int part() const { return on_.strips ? on_.strips->part() : 0; }
    int row_pairs() const { return (local_rows() + 1) / 2; }
    int frequencies() const { return columns_ / 2 + 1; }
    /// Whether frequency k has a single coefficient.
    bool is_alone(int k) const { return k == 0 || 2 * k == columns_; }
    /// The index of coefficient k in a row.
    int place_of(int k) const {
        return 2 * k <= columns_ ? Strips::kUnit * k : Strips::kUnit * (columns_ - k) + 1;
    }

    /// The stored coefficients by local rows, and by local frequencies. They are the same array unless the
    /// field is distributed.
    FieldView<double> of_rows(std::size_t index) {
        const int width = of_coefficients_.lines;
        return {buffers_[on_.strips ? 0 : index].data(), width, local_rows(), width};
    }
    FieldView<double> of_columns(std::size_t index) {
        if (!on_.strips) return of_rows(index);
        const int width = of_coefficients_.count(part());
        return {strips_[index].data(), width, ny_, width};
    }

    void load(const Band& band) {
        const FieldView<double> coefficients = of_columns(0);
        for (int y = 0; y < ny_; ++y)
            for (int i = 0; i < band.count; ++i) {
                const double* both = &coefficients.at(Strips::kUnit * (band.first + i), y);
                const double own = both[0], other = both[1];
                band.line(i)[y] = {0.5 * (own + other), 0.5 * (other - own)};
            }
        for (int i = 0; i < band.count; ++i) {
            Complex<double>* z = band.line(i);
            for (int y = ny_; y < rows_; ++y)
                z[y] = element_of(outside_[1], y, ny_, [&](int cell) { return z[cell]; });
            along_y_.forward.run(z);
        }
    }

    std::array<Outside, 2> outside_;
    int nx_, ny_, columns_, rows_;
    ExecutionSpace on_;
    Strips of_rows_, of_coefficients_;  ///< distribution over the processes
    FftwLines<double> lines_;
    FftwAxis<double> along_x_, along_y_;
    std::vector<AlignedBuffer<double>> buffers_, strips_;
};

}  // namespace

template <class T>
struct Convolution<T>::Spectra {
    /// The transform of a kernel, column by column, divided by the gain of a forward and inverse transform.
    /// For a distributed field: only the local frequencies.
    struct Spectrum {
        std::vector<double> scalars;  ///< that the spectrum was computed from
        AlignedBuffer<Complex<double>> values;
    };

    Spectra(const LinearPart& its_part, FieldShape rows, const ExecutionSpace& its_space)
        : part(its_part),
          whole(whole_shape(its_space, rows)),
          on(its_space),
          transform(part.outside, whole.nx, whole.ny, part.kernels.size(), on),
          spectra(part.kernels.size()) {}

    void make(const ConvolutionKernel& kernel, const std::vector<double>& scalars, Spectrum& spectrum) {
        std::vector<double> used = scalars_of_kernel(kernel, scalars);
        if (used == spectrum.scalars) return;
        spectrum.scalars = std::move(used);
        const int columns = transform.columns(), rows = transform.rows();
        TorusTransform exact({Outside::periodic, Outside::periodic}, columns, rows, 1, on);
        std::vector<double> table = kernel_table(kernel,
                                                 part.outside,
                                                 whole.nx,
                                                 whole.ny,
                                                 scalars,
                                                 on.threads,
                                                 {exact.first_row(), exact.local_rows()});
        spectrum.values =
            AlignedBuffer<Complex<double>>(std::size_t(transform.local_frequencies()) * std::size_t(rows));
        const double norm = 1 / (double(columns) * rows);
        const FieldView<double> own{table.data(), columns, exact.local_rows(), columns};
        exact.forward(own, [&](const auto& band) {
            for (int i = 0; i < band.count; ++i) {
                Complex<double>* values = column_of(spectrum, band.first + i);
                for (int k = 0; k < rows; ++k)
                    values[k] = {norm * band.line(i)[k].re, norm * band.line(i)[k].im};
            }
        });
    }

    Complex<double>* column_of(Spectrum& spectrum, int k) const {
        return spectrum.values.data() + std::ptrdiff_t(k) * transform.rows();
    }

    LinearPart part;
    FieldShape whole;
    ExecutionSpace on;
    TorusTransform transform;
    std::vector<Spectrum> spectra;
};

template <class T>
Convolution<T>::Convolution(const LinearPart& part, FieldShape rows, const ExecutionSpace& on)
    : spectra_(std::make_unique<Spectra>(part, rows, on)) {}

template <class T>
Convolution<T>::~Convolution() = default;

template <class T>
void Convolution<T>::set(const std::vector<double>& scalars, double) {
    Spectra& s = *spectra_;
    for (std::size_t i = 0; i < s.spectra.size(); ++i) s.make(s.part.kernels[i], scalars, s.spectra[i]);
}

template <class T>
void Convolution<T>::apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) {
    Spectra& s = *spectra_;
    const int rows = s.transform.rows();
    s.transform.forward(from.front(), [&](const auto& band) {
        for (std::size_t kernel = 0; kernel < s.spectra.size(); ++kernel) {
            const bool last = kernel + 1 == s.spectra.size();
            const auto line = [&](int i) { return last ? band.line(i) : band.spare(i); };
            for (int i = 0; i < band.count; ++i) {
                const Complex<double>* z = band.line(i);
                const Complex<double>* values = s.column_of(s.spectra[kernel], band.first + i);
                for (int k = 0; k < rows; ++k) {
                    const double re = z[k].re, im = z[k].im;
                    line(i)[k] = {re * values[k].re - im * values[k].im,
                                  re * values[k].im + im * values[k].re};
                }
            }
            s.transform.store(kernel, band, line);
        }
    });
    for (std::size_t kernel = 0; kernel < to.size(); ++kernel) s.transform.backward(kernel, to[kernel]);
}

template class Convolution<float>;
template class Convolution<double>;

}  // namespace stencil::equation
