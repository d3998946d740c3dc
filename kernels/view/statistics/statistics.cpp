#include "kernels/view/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stencil {

template <class T>
Statistics statistics(FieldView<const T> u) {
    Statistics result;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (int y = 0; y < u.ny; ++y) {
        double row_total = 0;
        for (int x = 0; x < u.nx; ++x) {
            const double value = double(u.at(x, y));
            if (!std::isfinite(value)) {
                ++result.not_finite;
                continue;
            }
            low = std::min(low, value);
            high = std::max(high, value);
            row_total += value;
        }
        result.total += row_total;
    }
    const std::size_t finite = std::size_t(u.nx) * std::size_t(u.ny) - result.not_finite;
    if (finite == 0) return no_finite_cell(result.not_finite);
    result.min = low;
    result.max = high;
    result.mean = result.total / double(finite);
    return result;
}

template Statistics statistics(FieldView<const float>);
template Statistics statistics(FieldView<const double>);

}  // namespace stencil
