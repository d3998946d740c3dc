// The matrix of a linear part for one mode, for host and device. Its entries are polynomials in X and Y, the
// eigenvalues of the second differences along x and y.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/equation/program.h"
#include "kernels/field/host_device.h"
#include "kernels/methods/spectral/spectral_modes.h"

namespace stencil::equation {

/// The polynomials' coefficients, dense: [row][column][x power][y power].
struct WavePolynomials {
    explicit WavePolynomials(const LinearPart& part) : components(part.fields) {
        const int n = components;
        for (const LinearPart::Term& term : part.terms) {
            x_powers = std::max(x_powers, term.x_power + 1);
            y_powers = std::max(y_powers, term.y_power + 1);
        }
        values.resize(std::size_t(n * n * x_powers * y_powers));
    }

    /// `coefficients` are those of the part's terms.
    void set(const LinearPart& part, const std::vector<double>& coefficients, double dt) {
        const bool step = part.matrix == LinearPart::Matrix::step;
        const double factor = step ? part.share * dt : 1;
        std::ranges::fill(values, 0.0);
        for (int c = 0; c < components && step; ++c) at(c, c, 0, 0) = 1;
        for (std::size_t i = 0; i < part.terms.size(); ++i) {
            const LinearPart::Term& term = part.terms[i];
            at(term.row, term.column, term.x_power, term.y_power) -= factor * coefficients[i];
        }
    }

    double& at(int row, int column, int x_power, int y_power) {
        return values[std::size_t(((row * components + column) * x_powers + x_power) * y_powers + y_power)];
    }

    int components, x_powers = 1, y_powers = 1;
    std::vector<double> values;
};

/// The eigenvalue of the second difference along an axis.
STENCIL_HOST_DEVICE inline double eigenvalue(ModeAngle angle) {
    return -4 * angle.sin2;
}

/// The ratios of ghost to edge cells that general modes of an axis (0: x) follow from, of the values of
/// LinearPart::coefficients; empty for other modes.
inline std::vector<double> general_ratios(const LinearPart& part,
                                          const std::vector<double>& values,
                                          std::size_t axis) {
    if ((axis == 0 ? part.along_x : part.along_y) != Modes::general) return {};
    const double* ratios = values.data() + part.terms.size() + 2 * axis;
    return {ratios[0], ratios[1]};
}
inline std::optional<GeneralModes> general_modes(const LinearPart& part,
                                                 const std::vector<double>& values,
                                                 std::size_t axis,
                                                 int cells) {
    const std::vector<double> ratios = general_ratios(part, values, axis);
    if (ratios.empty()) return std::nullopt;
    return GeneralModes(ratios[0], ratios[1], cells);
}

/// b / a for the matrix of one field. `open` is for an equation, which leaves the mode open where a is 0.
STENCIL_HOST_DEVICE inline double solve_single(double a, double b, bool open) {
    return open && a == 0 ? 0 : b / a;
}

/// Solves m x = b by Gaussian elimination with partial pivoting. m is row-major and overwritten; b becomes x.
STENCIL_HOST_DEVICE inline void solve_system(double* m, double* b, int n) {
    for (int i = 0; i < n; ++i) {
        int pivot = i;
        for (int r = i + 1; r < n; ++r)
            if (fabs(m[r * n + i]) > fabs(m[pivot * n + i])) pivot = r;
        for (int c = i; c < n && pivot != i; ++c) {
            const double kept = m[i * n + c];
            m[i * n + c] = m[pivot * n + c];
            m[pivot * n + c] = kept;
        }
        const double kept = b[i];
        b[i] = b[pivot];
        b[pivot] = kept;
        for (int r = i + 1; r < n; ++r) {
            const double factor = m[r * n + i] / m[i * n + i];
            for (int c = i + 1; c < n; ++c) m[r * n + c] -= factor * m[i * n + c];
            b[r] -= factor * b[i];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int c = i + 1; c < n; ++c) b[i] -= m[i * n + c] * b[c];
        b[i] /= m[i * n + i];
    }
}

}  // namespace stencil::equation
