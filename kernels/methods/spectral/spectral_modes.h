// The factor by which n explicit steps multiply a mode, for host and device.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/field/boundary.h"
#include "kernels/field/host_device.h"
#include "kernels/methods/spectral/spectral_axis.h"

namespace stencil {

/// sin^2 and cos^2 of half a mode's angle along one axis. The eigenvalue of the one-dimensional Laplacian is
/// 2 cos(angle) - 2 = -4 sin^2(angle / 2).
struct ModeAngle {
    double sin2, cos2;
};

/// The angles of all n modes of an axis.
inline std::vector<ModeAngle> mode_angles(Boundary boundary, int n) {
    const double first = boundary == Boundary::zero ? 1 : 0;
    const double half_turn = boundary == Boundary::zero        ? 2.0 * (n + 1.0)
                             : boundary == Boundary::insulated ? 2.0 * n
                                                               : n;
    std::vector<ModeAngle> angles;
    for (int k = 0; k < n; ++k) {
        const double half_angle = std::numbers::pi * (first + k) / half_turn;
        const double sine = std::sin(half_angle);
        const double cosine = std::cos(half_angle);
        angles.push_back({sine * sine, cosine * cosine});
    }
    return angles;
}

/// exp(-i pi k / 2n) for k in [0, n), computed in float64.
template <class T>
std::vector<Complex<T>> mode_twiddles(int n) {
    std::vector<Complex<T>> twiddles;
    for (int k = 0; k < n; ++k) {
        const double angle = std::numbers::pi * k / (2.0 * n);
        twiddles.push_back({T(std::cos(angle)), T(-std::sin(angle))});
    }
    return twiddles;
}

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
        const double down = 4 * coefficient_ * (x.sin2 + y.sin2);
        const double up = (2 - 8 * coefficient_) + 4 * coefficient_ * (x.cos2 + y.cos2);
        const bool negative = down > 1;
        // If the base is near 0, rounding may put the distance slightly above 1.
        const double distance = std::fmin(negative ? up : down, 1.0);
        // exp(x) is 0 below -kNothing: after a long jump this is the case for most modes.
        constexpr double kNothing = 750;
        if (steps_ * distance > kNothing) return 0;
        const double size = std::exp(steps_ * std::log1p(-distance));
        return negative && odd_ ? -size : size;
    }

    double coefficient_;
    double steps_;
    bool odd_;
    double norm_;
};

}  // namespace stencil
