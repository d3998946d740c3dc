#include "kernels/equation/implicit_solve.h"

#include "kernels/field/divide.h"
#include "kernels/field/padded_rows.h"

namespace stencil::equation {
namespace {

/// The linear systems of all modes in one column of coefficients, which have the same X.
class ColumnSystems {
  public:
    ColumnSystems(const WavePolynomials& all, double x, bool open)
        : n_(all.components), powers_(all.y_powers), open_(open) {
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

    /// Solves the system of the mode with this Y.
    void solve(double y, double* b) {
        const double* c = entries_.data();
        for (double& entry : matrix_) {
            double sum = 0;
            for (int q = powers_ - 1; q >= 0; --q) sum = sum * y + c[q];
            entry = sum;
            c += powers_;
        }
        if (n_ == 1)
            b[0] = solve_single(matrix_[0], b[0], open_);
        else
            solve_system(matrix_.data(), b, n_);
    }

  private:
    int n_, powers_;
    bool open_;
    std::vector<double> entries_;  ///< [row][column][y power]
    std::vector<double> matrix_;
};

}  // namespace

template <class T>
ImplicitSolve<T>::ImplicitSolve(const LinearPart& part, FieldShape rows, const ExecutionSpace& on)
    : part_(part),
      on_(on),
      whole_(whole_shape(on, rows)),
      polynomials_(part),
      lines_(*on.threads,
             whole_.nx,
             whole_.ny,
             part.fields * (kPairs + 1) + FftwLines<T>::kProductLines,
             sizeof(T) == sizeof(float)),
      rows_(part.along_x, whole_.nx, lines_.first()),
      columns_(part.along_y, whole_.ny, lines_.first()) {
    if (!on.strips) return;
    const Strips& strips = on.strips->columns();
    first_column_ = strips.begin(on.strips->part());
    const int own = strips.count(on.strips->part());
    for (int c = 0; c < part.fields; ++c) {
        memory_.emplace_back(PaddedRows<T>::cells(own, whole_.ny));
        strips_.push_back(PaddedRows<T>::view(memory_.back().data(), own, whole_.ny));
    }
}

// Transforms a cache line of columns of all components, solves the systems, and transforms back.
template <class T>
template <Modes M>
void ImplicitSolve<T>::solve_columns(const std::vector<FieldView<T>>& columns, Complex<T>* own, int x0) {
    const int nx = columns.front().nx, ny = columns_.n, components = polynomials_.components,
              pitch = lines_.pitch();
    const int pairs = std::min(kPairs, (nx - x0 + 1) / 2);
    Complex<T>* coefficients = own + std::ptrdiff_t(components) * kPairs * pitch;
    const auto line = [&](int c, int pair) { return own + std::ptrdiff_t(c * kPairs + pair) * pitch; };
    const auto cells = [&](int c, int pair, int y) {
        const int x = x0 + 2 * pair;
        const FieldView<T>& field = columns[std::size_t(c)];
        return Pair<T>{&field.at(x, y), &field.at(std::min(x + 1, nx - 1), y)};
    };
    for (int c = 0; c < components; ++c)
        for (int y = 0; y < ny; ++y)
            for (int pair = 0; pair < pairs; ++pair) line(c, pair)[y] = cells(c, pair, y).at(0);
    // All lines at once, in place.
    [[maybe_unused]] const auto multiply = [&](bool back) {
        for (int c = 0; c < components; ++c)
            columns_.multiply(
                &(coefficients + std::ptrdiff_t(components) * pitch)->re,
                2 * pairs,
                back,
                [&](int i, int l) { return l % 2 == 0 ? line(c, l / 2)[i].re : line(c, l / 2)[i].im; },
                [&](int k, int l, T value) {
                    (l % 2 == 0 ? line(c, l / 2)[k].re : line(c, l / 2)[k].im) = value;
                });
    };
    if constexpr (M == Modes::general) multiply(false);
    for (int pair = 0; pair < pairs; ++pair) {
        for (int c = 0; c < components; ++c) {
            Complex<T>* own_coefficients = coefficients + std::ptrdiff_t(c) * pitch;
            std::copy_n(line(c, pair), ny, own_coefficients);
            if constexpr (M != Modes::general)
                columns_.template to_coefficients<M>(
                    line(c, pair),
                    [&](int y) { return own_coefficients[y]; },
                    [&](int k, Complex<T> value) { own_coefficients[k] = value; });
        }
        const int x = x0 + 2 * pair;
        solve_waves(coefficients, first_column_ + x, first_column_ + std::min(x + 1, nx - 1));
        for (int c = 0; c < components; ++c) {
            Complex<T>* own_coefficients = coefficients + std::ptrdiff_t(c) * pitch;
            if constexpr (M != Modes::general)
                columns_.template to_cells<M>(
                    line(c, pair),
                    [&](int k) { return own_coefficients[k]; },
                    [&](int y, Complex<T> value) { own_coefficients[y] = value; });
            std::copy_n(own_coefficients, ny, line(c, pair));
        }
    }
    if constexpr (M == Modes::general) multiply(true);
    for (int c = 0; c < components; ++c)
        for (int y = 0; y < ny; ++y)
            for (int pair = 0; pair < pairs; ++pair) cells(c, pair, y).set(0, line(c, pair)[y]);
}

// `coefficients` holds those of columns x and next_x as real and imaginary parts.
template <class T>
void ImplicitSolve<T>::solve_waves(Complex<T>* coefficients, int x, int next_x) const {
    const bool open = part_.matrix == LinearPart::Matrix::equation;
    const auto along_x = [&](int k) { return eigenvalue(rows_.angles[std::size_t(k)]); };
    ColumnSystems first(polynomials_, along_x(x), open);
    ColumnSystems second(polynomials_, along_x(next_x), open);
    const double norm = 1 / (double(rows_.length) * columns_.length);
    const int components = polynomials_.components, pitch = lines_.pitch();
    std::vector<double> b(std::size_t(components), 0.0);
    const auto solve_part = [&](ColumnSystems& systems, int k, T Complex<T>::*part_of) {
        const auto number = [&](int c) -> T& { return coefficients[std::ptrdiff_t(c) * pitch + k].*part_of; };
        for (int c = 0; c < components; ++c) b[std::size_t(c)] = norm * number(c);
        systems.solve(eigenvalue(columns_.angles[std::size_t(k)]), b.data());
        for (int c = 0; c < components; ++c) number(c) = T(b[std::size_t(c)]);
    };
    for (int k = 0; k < columns_.n; ++k) {
        solve_part(first, k, &Complex<T>::re);
        solve_part(second, k, &Complex<T>::im);
    }
}

template <class T>
void ImplicitSolve<T>::set(const std::vector<double>& coefficients, double dt) {
    polynomials_.set(part_, coefficients, dt);
    if (const auto modes = general_modes(part_, coefficients, 0, whole_.nx)) rows_.set(*modes);
    if (const auto modes = general_modes(part_, coefficients, 1, whole_.ny)) columns_.set(*modes);
}

template <class T>
void ImplicitSolve<T>::apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) {
    with_modes(part_.along_x, [&](auto m) {
        for (std::size_t c = 0; c < to.size(); ++c)
            lines_.template transform_rows<m.value, false>(rows_, from[c], to[c]);
    });
    StripExchange* exchange = on_.strips;
    for (std::size_t c = 0; exchange && c < to.size(); ++c)
        exchange->exchange(
            cut_columns(to[c], exchange->columns()), cut_rows(strips_[c], exchange->rows()), on_);
    const std::vector<FieldView<T>>& columns = exchange ? strips_ : to;
    with_modes(part_.along_y, [&](auto m) {
        constexpr int width = 2 * kPairs;
        const std::int64_t cells = std::int64_t(columns.front().nx) * columns_.n * polynomials_.components;
        lines_.for_each(ceil_div(columns.front().nx, width), cells, [&](Complex<T>* own, int i) {
            solve_columns<m.value>(columns, own, width * i);
        });
    });
    for (std::size_t c = 0; exchange && c < to.size(); ++c)
        exchange->exchange(
            cut_rows(strips_[c], exchange->rows()), cut_columns(to[c], exchange->columns()), on_);
    with_modes(part_.along_x, [&](auto m) {
        for (const FieldView<T>& field : to)
            lines_.template transform_rows<m.value, true>(rows_, field, field);
    });
}

template class ImplicitSolve<float>;
template class ImplicitSolve<double>;

}  // namespace stencil::equation
