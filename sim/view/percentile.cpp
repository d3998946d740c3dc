#include "sim/view/percentile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stencil {

template <class T>
double percentile(std::span<T> values, double q) {
    const double position = double(values.size() - 1) * (q / 100);
    const std::size_t index = std::size_t(std::floor(position));
    const double t = position - double(index);
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(index), values.end());
    const double low = double(values[index]);
    if (t == 0 || index + 1 == values.size()) return low;
    const double high = double(*std::min_element(values.begin() + std::ptrdiff_t(index) + 1, values.end()));
    // From the nearer end, as NumPy does, so that the result lies between the two.
    return t < 0.5 ? low + (high - low) * t : high - (high - low) * (1 - t);
}

template double percentile(std::span<float>, double);
template double percentile(std::span<double>, double);

}  // namespace stencil
