#include "kernels/equation/convolution.h"

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/equation/kernel_table.h"
#include "kernels/methods/spectral/fftw_axis.h"

namespace stencil::equation {
namespace {

// Element i of a line of n cells and what lies outside of them, up to torus_length().
template <class Cell>
auto element_of(Outside outside, int i, int n, const Cell& cell) -> decltype(cell(0)) {
    if (i < n) return cell(i);
    if (outside == Outside::zero) return {0, 0};
    const auto mirrored = cell(2 * n - 1 - i);
    if (outside == Outside::negated) return {-mirrored.re, -mirrored.im};
    return mirrored;
}

// Transforms, in float64, of a real field and its outside: of rows to the real coefficients H of FftwAxis, in
// which H_k and H_(n-k) hold the frequency (H_k + H_(n-k))/2 + i (H_(n-k) - H_k)/2, then of a complex column
// for each frequency along x, from 0 to half of all.
class TorusTransform {
  public:
    /// Columns that are transformed together, a cache line of cells.
    static constexpr int kWidth = 2 * FftwLines<double>::kPairs;

    /// With room for the spectra of so many fields at a time.
    TorusTransform(
        const std::array<Outside, 2>& outside, int nx, int ny, std::size_t fields, ThreadPool& threads)
        : outside_(outside),
          nx_(nx),
          ny_(ny),
          columns_(torus_length(outside[0], nx)),
          rows_(torus_length(outside[1], ny)),
          lines_(threads, columns_, rows_, 2 * kWidth, false),
          along_x_(Boundary::periodic, columns_, lines_.first()),
          along_y_(Boundary::periodic, rows_, lines_.first()) {
        for (std::size_t field = 0; field < fields; ++field)
            buffers_.emplace_back(std::size_t(columns_) * std::size_t(ny));
    }

    int columns() const { return columns_; }
    int rows() const { return rows_; }
    /// The number of frequencies along x.
    int frequencies() const { return columns_ / 2 + 1; }

    /// The columns of frequencies `first` to `first + count - 1` along x, in lines that may be overwritten,
    /// and as many lines to work in.
    struct Band {
        int first, count, pitch;
        Complex<double>* lines;
        Complex<double>* line(int i) const { return lines + std::ptrdiff_t(i) * pitch; }
        Complex<double>* spare(int i) const { return line(kWidth + i); }
    };

    /// Transforms the field and calls at_band(band) for all its columns, on any thread.
    template <class Cell, class F>
    void forward(FieldView<Cell> field, const F& at_band) {
        const FieldView<double> coefficients = buffer(0);
        lines_.for_each((ny_ + 1) / 2, std::int64_t(columns_) * ny_, [&](Complex<double>* z, int i) {
            const auto cell = [in = pair_of(field, i)](int x) {
                const Complex<Cell> pair = in.at(x);
                return Complex<double>{pair.re, pair.im};
            };
            along_x_.template to_coefficients<Boundary::periodic>(
                z,
                [&](int x) { return element_of(outside_[0], x, nx_, cell); },
                [out = pair_of(coefficients, i)](int k, Complex<double> value) { out.set(k, value); });
        });
        const int bands = ceil_div(frequencies(), kWidth);
        lines_.for_each(bands, std::int64_t(columns_) * rows_, [&](Complex<double>* own, int i) {
            const int first = i * kWidth;
            const Band band{first, std::min(kWidth, frequencies() - first), lines_.pitch(), own};
            load(coefficients, band);
            at_band(band);
        });
    }

    /// Transforms columns back, from line(i), and stores them as those of field `index`.
    template <class Line>
    void store(std::size_t index, const Band& band, const Line& line) {
        const FieldView<double> to = buffer(index);
        for (int i = 0; i < band.count; ++i) along_y_.backward.run(line(i));
        for (int y = 0; y < ny_; ++y)
            for (int i = 0; i < band.count; ++i) {
                const int k = band.first + i, other = partner(k);
                const Complex<double> z = line(i)[y];
                to.at(k, y) = other == k ? z.re : z.re - z.im;
                if (other != k) to.at(other, y) = z.re + z.im;
            }
    }

    /// Transforms the stored field `index` back to cells, times columns() * rows().
    template <class Cell>
    void backward(std::size_t index, FieldView<Cell> to) {
        const FieldView<double> from = buffer(index);
        lines_.for_each((ny_ + 1) / 2, std::int64_t(columns_) * ny_, [&](Complex<double>* z, int i) {
            along_x_.template to_cells<Boundary::periodic>(
                z,
                [in = pair_of(from, i)](int k) { return in.at(k); },
                [this, out = pair_of(to, i)](int x, Complex<double> value) {
                    if (x < nx_) out.set(x, {Cell(value.re), Cell(value.im)});
                });
        });
    }

  private:
    template <class Cell>
    static Pair<Cell> pair_of(FieldView<Cell> field, int i) {
        return {field.row(2 * i), field.row(std::min(2 * i + 1, field.ny - 1))};
    }

    FieldView<double> buffer(std::size_t index) { return {buffers_[index].data(), columns_, ny_, columns_}; }
    int partner(int k) const { return k == 0 ? 0 : columns_ - k; }

    void load(FieldView<double> coefficients, const Band& band) const {
        for (int y = 0; y < ny_; ++y)
            for (int i = 0; i < band.count; ++i) {
                const int k = band.first + i;
                const double own = coefficients.at(k, y), other = coefficients.at(partner(k), y);
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
    FftwLines<double> lines_;
    FftwAxis<double> along_x_, along_y_;
    std::vector<AlignedBuffer<double>> buffers_;
};

}  // namespace

template <class T>
struct Convolution<T>::Spectra {
    /// The transform of a kernel, column by column, over the gain of the transforms of a field.
    struct Spectrum {
        std::vector<double> scalars;  ///< from which it was made
        AlignedBuffer<Complex<double>> values;
    };

    Spectra(const LinearPart& its_part, int its_nx, int its_ny, ThreadPool& its_threads)
        : part(its_part),
          nx(its_nx),
          ny(its_ny),
          threads(its_threads),
          transform(part.outside, nx, ny, part.kernels.size(), threads),
          spectra(part.kernels.size()) {}

    void make(const ConvolutionKernel& kernel, const std::vector<double>& scalars, Spectrum& spectrum) {
        std::vector<double> used = scalars_of_kernel(kernel, scalars);
        if (used == spectrum.scalars) return;
        spectrum.scalars = std::move(used);
        const int columns = transform.columns(), rows = transform.rows();
        std::vector<double> table = kernel_table(kernel, part.outside, nx, ny, scalars, &threads);
        spectrum.values =
            AlignedBuffer<Complex<double>>(std::size_t(transform.frequencies()) * std::size_t(rows));
        TorusTransform exact({Outside::periodic, Outside::periodic}, columns, rows, 1, threads);
        const double norm = 1 / (double(columns) * rows);
        exact.forward(FieldView<double>{table.data(), columns, rows, columns}, [&](const auto& band) {
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
    int nx, ny;
    ThreadPool& threads;
    TorusTransform transform;
    std::vector<Spectrum> spectra;
};

template <class T>
Convolution<T>::Convolution(const LinearPart& part, int nx, int ny, ThreadPool& threads)
    : spectra_(std::make_unique<Spectra>(part, nx, ny, threads)) {}

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
