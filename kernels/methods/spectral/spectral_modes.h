// The factor by which n explicit steps multiply a mode, for host and device.
#pragma once

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "kernels/field/host_device.h"
#include "kernels/methods/spectral/spectral_axis.h"

namespace stencil {

/// sin^2 and cos^2 of half a mode's angle along one axis. The eigenvalue of the one-dimensional Laplacian is
/// 2 cos(angle) - 2 = -4 sin^2(angle / 2).
struct ModeAngle {
    double sin2, cos2;
};

/// Whether the modes have no flux at one end of the axis, and the value 0 at the other.
constexpr bool are_mixed(Modes modes) {
    return modes == Modes::insulated_value || modes == Modes::value_insulated;
}

/// The angles of all n modes of an axis.
inline std::vector<ModeAngle> mode_angles(Modes modes, int n) {
    const double first = modes == Modes::zero ? 1 : are_mixed(modes) ? 0.5 : 0;
    const double half_turn = modes == Modes::zero ? 2.0 * (n + 1.0) : modes == Modes::periodic ? n : 2.0 * n;
    std::vector<ModeAngle> angles;
    for (int k = 0; k < n; ++k) {
        const double half_angle = std::numbers::pi * (first + k) / half_turn;
        const double sine = std::sin(half_angle);
        const double cosine = std::cos(half_angle);
        angles.push_back({sine * sine, cosine * cosine});
        if (modes == Modes::values) std::swap(angles.back().sin2, angles.back().cos2);
    }
    return angles;
}

/// exp(-i pi k / 2n) for k in [0, n), computed in float64; for mixed modes exp(-i pi (2k + 1) / 4n), then
/// exp(-i pi k / n).
template <class T>
std::vector<Complex<T>> mode_twiddles(Modes modes, int n) {
    std::vector<Complex<T>> twiddles;
    const auto add = [&](double angle) { twiddles.push_back({T(std::cos(angle)), T(-std::sin(angle))}); };
    const double first = are_mixed(modes) ? 0.5 : 0;
    for (int k = 0; k < n; ++k) add(std::numbers::pi * (first + k) / (2.0 * n));
    for (int k = 0; k < n && are_mixed(modes); ++k) add(std::numbers::pi * k / n);
    return twiddles;
}

/// The modes of an axis whose ghost cells are `first` and `last` times the edge cells, both in [-1, 1]:
/// cos(angle (i + 1/2) + phase), scaled to length 1.
class GeneralModes {
  public:
    GeneralModes(double first, double last, int n) : cells_of_modes(std::size_t(n) * std::size_t(n)) {
        for (int k = 0; k < n; ++k) {
            // n angle + phase(first) + phase(last) = k pi; the left side grows with the angle.
            double low = 0, high = std::numbers::pi;
            for (int halvings = 0; halvings < 64; ++halvings) {
                const double angle = 0.5 * (low + high);
                const double turns = n * angle + phase(first, angle) + phase(last, angle);
                (turns < k * std::numbers::pi ? low : high) = angle;
            }
            const double angle = k == 0 && first == 1 && last == 1 ? 0 : high;
            const double sine = std::sin(0.5 * angle), cosine = std::cos(0.5 * angle);
            angles.push_back({sine * sine, cosine * cosine});
            double* mode = cells_of_modes.data() + std::ptrdiff_t(k) * n;
            double squares = 0;
            for (int i = 0; i < n; ++i) {
                mode[i] = std::cos(angle * (i + 0.5) + phase(first, angle));
                squares += mode[i] * mode[i];
            }
            for (int i = 0; i < n; ++i) mode[i] /= std::sqrt(squares);
        }
    }

    /// The matrix that the transform multiplies a line by, and for the inverse the transposed one times n.
    /// Row i is for number i of the line.
    template <class T>
    std::vector<T> matrix(bool inverse) const {
        const std::size_t n = angles.size();
        std::vector<T> result(n * n);
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < n; ++i)
                result[inverse ? k * n + i : i * n + k] =
                    T(cells_of_modes[k * n + i] * (inverse ? double(n) : 1));
        return result;
    }

    std::vector<ModeAngle> angles;
    std::vector<double> cells_of_modes;  ///< (mode, cell)

  private:
    // The phase at a face where a ghost cell is `ratio` times the edge cell: 0 without a flux, -pi/2 for the
    // value 0.
    static double phase(double ratio, double angle) {
        return std::atan2(-(1 - ratio) * std::cos(0.5 * angle), (1 + ratio) * std::sin(0.5 * angle));
    }
};

/// The factors for a number of explicit steps at once.
class SpectralJump {
  public:
    /// steps >= 1. `gain` is the gain of a forward and inverse transform; the factors are divided by it.
    SpectralJump(double coefficient, long long steps, double gain)
        : coefficient_(coefficient), steps_(double(steps)), odd_(steps % 2 != 0), norm_(1 / gain) {}

    /// (1 + coefficient (lx + ly))^steps / gain, in float64. Overflows to infinity only for unstable
    /// coefficients.
    STENCIL_HOST_DEVICE double factor(ModeAngle x, ModeAngle y) const {
        return norm_ * (steps_ <= kFewSteps ? product(x, y) : power(x, y));
    }

    /// The logarithm of |factor| * gain, which does not overflow.
    double log_size(ModeAngle x, ModeAngle y) const { return steps_ * std::log1p(-from_one(x, y).distance); }

  private:
    /// Up to this many steps the power is computed by multiplication, which is faster and no less accurate.
    static constexpr double kFewSteps = 64;

    STENCIL_HOST_DEVICE double product(ModeAngle x, ModeAngle y) const {
        double square = 1 - 4 * coefficient_ * (x.sin2 + y.sin2);
        double result = 1;
        for (int left = int(steps_); left > 0; left /= 2) {
            if (left % 2 != 0) result *= square;
            square *= square;
        }
        return result;
    }

    // A rounding error of the base would be amplified by the number of steps, so the power is computed from
    // the base's distance to 1 or -1 with log1p.
    STENCIL_HOST_DEVICE double power(ModeAngle x, ModeAngle y) const {
        const FromOne base = from_one(x, y);
        // exp(x) is 0 below -kNothing: after a long jump this is the case for most modes.
        constexpr double kNothing = 750;
        if (steps_ * base.distance > kNothing) return 0;
        const double size = std::exp(steps_ * std::log1p(-base.distance));
        return base.negative && odd_ ? -size : size;
    }

    // The base is 1 - distance, or the negative of that.
    struct FromOne {
        double distance;
        bool negative;
    };
    STENCIL_HOST_DEVICE FromOne from_one(ModeAngle x, ModeAngle y) const {
        const double down = 4 * coefficient_ * (x.sin2 + y.sin2);
        const double up = (2 - 8 * coefficient_) + 4 * coefficient_ * (x.cos2 + y.cos2);
        const bool negative = down > 1;
        // If the base is near 0, rounding may put the distance slightly above 1.
        return {std::fmin(negative ? up : down, 1.0), negative};
    }

    double coefficient_;
    double steps_;
    bool odd_;
    double norm_;
};

}  // namespace stencil
