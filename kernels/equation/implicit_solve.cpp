#include "kernels/equation/implicit_solve.h"

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/subnormals.h"
#include "kernels/equation/wave_system.h"
#include "kernels/field/divide.h"
#include "kernels/methods/spectral/fftw_axis.h"

namespace stencil::equation {
namespace {

/// The systems of all modes of one column of coefficients, which share their X.
class ColumnSystems {
  public:
    ColumnSystems(const WavePolynomials& all, ModeAngle angle) : n_(all.components), powers_(all.y_powers) {
        const double x = -4 * angle.sin2;
        entries_.resize(std::size_t(n_ * n_ * powers_));
        const double* c = all.values.data();
        for (int entry = 0; entry < n_ * n_; ++entry, c += all.x_powers * powers_)
            for (int q = 0; q < powers_; ++q) {
                double sum = 0;
                for (int p = all.x_powers - 1; p >= 0; --p) sum = sum * x + c[p * powers_ + q];
                entries_[std::size_t(entry * powers_ + q)] = sum;
            }
        matrix_.resize(std::size_t(n_ * n_));
    }

    /// Solves the system of the mode with this angle along y.
    void solve(ModeAngle angle, double* b) {
        const double y = -4 * angle.sin2;
        const double* c = entries_.data();
        for (double& entry : matrix_) {
            double sum = 0;
            for (int q = powers_ - 1; q >= 0; --q) sum = sum * y + c[q];
            entry = sum;
            c += powers_;
        }
        if (n_ == 1)
            b[0] /= matrix_[0];
        else
            solve_system(matrix_.data(), b, n_);
    }

  private:
    int n_, powers_;
    std::vector<double> entries_;  ///< [row][column][y power]
    std::vector<double> matrix_;
};

}  // namespace

template <class T>
struct ImplicitSolve<T>::Transforms {
    using Views = std::vector<FieldView<T>>;

    Transforms(const LinearPart& linear, int components, int nx, int ny, ThreadPool& pool)
        : part(linear), polynomials(linear, components), threads(pool) {
        constexpr int line = int(AlignedBuffer<T>::kAlignment / sizeof(T));
        pitch = round_up(2 * (std::max(nx, ny) + 1), line);
        work = AlignedBuffer<Complex<T>>(std::size_t(pitch) * lines() * std::size_t(pool.size()));
        const auto axis = [&](Boundary boundary, int n) {
            return with_boundary(boundary, [&](auto b) {
                return FftwAxis<T>(boundary, n, SpectralAxis<b.value>::length(n), work.data());
            });
        };
        rows = std::make_unique<FftwAxis<T>>(axis(linear.along_x, nx));
        columns = std::make_unique<FftwAxis<T>>(axis(linear.along_y, ny));
    }

    /// Work lines per thread: a cache line of columns of each component, and a pair's coefficients.
    std::size_t lines() const { return std::size_t(polynomials.components) * (kPairs + 1); }

    // Calls f(work, i) for i in [0, count) on all threads, each with its own work buffer.
    template <class F>
    void for_each(int count, F&& f) {
        const std::int64_t cells = std::int64_t(rows->n) * columns->n * polynomials.components;
        const std::int64_t parts = std::clamp<std::int64_t>(cells / kLeastCells, 1, threads.size());
        const auto run = [&](int thread) {
            const SubnormalsAsZero quick(sizeof(T) == sizeof(float));
            Complex<T>* own = work.data() + std::size_t(thread) * lines() * std::size_t(pitch);
            for (std::int64_t i = count * thread / parts; i < count * (thread + 1) / parts; ++i)
                f(own, int(i));
        };
        if (parts == 1) return run(0);
        threads.run([&](int thread) {
            if (thread < parts) run(thread);
        });
    }

    template <Boundary B>
    void to_row_coefficients(const Views& from, const Views& to) {
        for_each(pairs_of_rows(), [&](Complex<T>* z, int i) {
            for (std::size_t c = 0; c < from.size(); ++c) {
                const Pair<T> cells = row_pair(from[c], i), coefficients = row_pair(to[c], i);
                rows->template to_coefficients<B>(
                    z,
                    [&](int x) { return cells.at(x); },
                    [&](int k, Complex<T> value) { coefficients.set(k, value); });
            }
        });
    }

    template <Boundary B>
    void to_row_cells(const Views& to) {
        for_each(pairs_of_rows(), [&](Complex<T>* z, int i) {
            for (const FieldView<T>& field : to) {
                const Pair<T> pair = row_pair(field, i);
                rows->template to_cells<B>(
                    z,
                    [&](int k) { return pair.at(k); },
                    [&](int x, Complex<T> value) { pair.set(x, value); });
            }
        });
    }

    // Transforms a cache line of columns of all components, solves the systems, and transforms back.
    template <Boundary B>
    void solve_columns(const Views& to, Complex<T>* own, int x0) {
        const int nx = rows->n, ny = columns->n, components = polynomials.components;
        const int pairs = std::min(kPairs, (nx - x0 + 1) / 2);
        Complex<T>* coefficients = own + std::ptrdiff_t(components) * kPairs * pitch;
        const auto line = [&](int c, int pair) { return own + std::ptrdiff_t(c * kPairs + pair) * pitch; };
        const auto cells = [&](int c, int pair, int y) {
            const int x = x0 + 2 * pair;
            return Pair<T>{&to[std::size_t(c)].at(x, y), &to[std::size_t(c)].at(std::min(x + 1, nx - 1), y)};
        };
        for (int c = 0; c < components; ++c)
            for (int y = 0; y < ny; ++y)
                for (int pair = 0; pair < pairs; ++pair) line(c, pair)[y] = cells(c, pair, y).at(0);
        for (int pair = 0; pair < pairs; ++pair) {
            for (int c = 0; c < components; ++c) {
                Complex<T>* own_coefficients = coefficients + std::ptrdiff_t(c) * pitch;
                std::copy_n(line(c, pair), ny, own_coefficients);
                columns->template to_coefficients<B>(
                    line(c, pair),
                    [&](int y) { return own_coefficients[y]; },
                    [&](int k, Complex<T> value) { own_coefficients[k] = value; });
            }
            solve_waves(coefficients, x0 + 2 * pair);
            for (int c = 0; c < components; ++c) {
                Complex<T>* own_coefficients = coefficients + std::ptrdiff_t(c) * pitch;
                columns->template to_cells<B>(
                    line(c, pair),
                    [&](int k) { return own_coefficients[k]; },
                    [&](int y, Complex<T> value) { own_coefficients[y] = value; });
                std::copy_n(own_coefficients, ny, line(c, pair));
            }
        }
        for (int c = 0; c < components; ++c)
            for (int y = 0; y < ny; ++y)
                for (int pair = 0; pair < pairs; ++pair) cells(c, pair, y).set(0, line(c, pair)[y]);
    }

    // `coefficients` are those of columns x and x + 1, as real and imaginary parts.
    void solve_waves(Complex<T>* coefficients, int x) {
        const std::size_t last = rows->angles.size() - 1;
        ColumnSystems first(polynomials, rows->angles[std::size_t(x)]);
        ColumnSystems second(polynomials, rows->angles[std::min(std::size_t(x) + 1, last)]);
        const double norm = 1 / (double(rows->length) * columns->length);
        const int components = polynomials.components;
        std::vector<double> b(std::size_t(components), 0.0);
        const auto solve_part = [&](ColumnSystems& systems, int k, T Complex<T>::*part_of) {
            const auto number = [&](int c) -> T& {
                return coefficients[std::ptrdiff_t(c) * pitch + k].*part_of;
            };
            for (int c = 0; c < components; ++c) b[std::size_t(c)] = norm * number(c);
            systems.solve(columns->angles[std::size_t(k)], b.data());
            for (int c = 0; c < components; ++c) number(c) = T(b[std::size_t(c)]);
        };
        for (int k = 0; k < columns->n; ++k) {
            solve_part(first, k, &Complex<T>::re);
            solve_part(second, k, &Complex<T>::im);
        }
    }

    int pairs_of_rows() const { return (columns->n + 1) / 2; }
    static Pair<T> row_pair(const FieldView<T>& field, int i) {
        return {field.row(2 * i), field.row(std::min(2 * i + 1, field.ny - 1))};
    }

    /// A thread does fewer cells faster than another one wakes.
    static constexpr int kLeastCells = 4096;
    /// Pairs of columns transformed together, one cache line wide.
    static constexpr int kPairs = int(AlignedBuffer<T>::kAlignment / sizeof(T)) / 2;

    LinearPart part;
    WavePolynomials polynomials;
    ThreadPool& threads;
    int pitch = 0;                   ///< of the work lines
    AlignedBuffer<Complex<T>> work;  ///< (threads, lines, pitch)
    std::unique_ptr<FftwAxis<T>> rows, columns;
};

template <class T>
ImplicitSolve<T>::ImplicitSolve(const LinearPart& part, int components, int nx, int ny, ThreadPool& threads)
    : transforms_(std::make_unique<Transforms>(part, components, nx, ny, threads)) {}

template <class T>
ImplicitSolve<T>::~ImplicitSolve() = default;

template <class T>
void ImplicitSolve<T>::set(const std::vector<double>& coefficients, double dt) {
    const LinearPart& part = transforms_->part;
    transforms_->polynomials.set(part, coefficients, part.share * dt);
}

template <class T>
void ImplicitSolve<T>::solve(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) {
    Transforms& t = *transforms_;
    with_boundary(t.part.along_x, [&](auto b) { t.template to_row_coefficients<b.value>(from, to); });
    with_boundary(t.part.along_y, [&](auto b) {
        constexpr int width = 2 * Transforms::kPairs;
        t.for_each(ceil_div(t.rows->n, width),
                   [&](Complex<T>* own, int i) { t.template solve_columns<b.value>(to, own, width * i); });
    });
    with_boundary(t.part.along_x, [&](auto b) { t.template to_row_cells<b.value>(to); });
}

template class ImplicitSolve<float>;
template class ImplicitSolve<double>;

}  // namespace stencil::equation
