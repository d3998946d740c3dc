#include "sim/view/percentile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/view/statistics/percentiles.h"

namespace stencil {

template <class T>
double percentile(std::span<T> values, double q) {
    const double position = double(values.size() - 1) * (q / 100);
    const std::size_t index = std::size_t(std::floor(position));
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(index), values.end());
    const double low = double(values[index]);
    if (double(index) == position || index + 1 == values.size()) return low;
    const double high = double(*std::min_element(values.begin() + std::ptrdiff_t(index) + 1, values.end()));
    return between_ranks(low, high, values.size(), q / 100);
}

template double percentile(std::span<float>, double);
template double percentile(std::span<double>, double);

}  // namespace stencil
