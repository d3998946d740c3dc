#include "sim/model/stability/linearisation.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "kernels/equation/kernel_table.h"

namespace stencil::equation {
namespace {

constexpr int kMostCells = 1024;
constexpr std::size_t kMostKnown = 32;  // unless the model has more kernels
constexpr double kNegligible = 1e-15;   // relative to the largest value
constexpr double kSameSymbol = 1e-9;    // relative to the sum of all magnitudes

// All numbers that the table of a kernel depends on.
std::vector<double> key_of(const ConvolutionKernel& kernel,
                           int columns,
                           int rows,
                           const std::vector<double>& scalars) {
    std::vector<double> key{double(columns), double(rows)};
    const auto add = [&](const Inputs& inputs) {
        for (const Operation& o : inputs.operations) {
            key.insert(key.end(), {double(o.code), double(o.index), o.number});
            key.insert(key.end(), o.args.begin(), o.args.end());
        }
        key.push_back(inputs.outputs.front());
    };
    std::ranges::for_each(kernel.sums, add);
    add(kernel.formula);
    const std::vector<double> used = scalars_of_kernel(kernel, scalars);
    key.insert(key.end(), used.begin(), used.end());
    return key;
}

}  // namespace

std::shared_ptr<const KernelSymbol> KernelSymbol::of(const ConvolutionKernel& kernel,
                                                     int columns,
                                                     int rows,
                                                     const std::vector<double>& scalars,
                                                     std::size_t kernels) {
    static std::mutex mutex;
    static std::deque<std::pair<std::vector<double>, std::shared_ptr<const KernelSymbol>>> known;
    columns = std::min(columns, kMostCells);
    rows = std::min(rows, kMostCells);
    const std::vector<double> key = key_of(kernel, columns, rows, scalars);
    const std::lock_guard lock(mutex);
    for (const auto& [its_key, symbol] : known)
        if (its_key == key) return symbol;
    known.emplace_front(
        key,
        std::make_shared<const KernelSymbol>(
            kernel_table(kernel, {Outside::periodic, Outside::periodic}, columns, rows, scalars),
            columns,
            rows));
    while (known.size() > std::max(kMostKnown, kernels)) known.pop_back();
    return known.front().second;
}

KernelSymbol::KernelSymbol(std::vector<double> table, int columns, int rows) {
    // Offset i of an axis is entry i, or i + length if negative; an offset of half the length is split
    // between both signs.
    const auto first_of = [](int length) { return -(length / 2); };
    const auto value = [&](int x, int y) {
        double cell = table[std::size_t((y + rows) % rows) * std::size_t(columns) +
                            std::size_t((x + columns) % columns)];
        if (columns % 2 == 0 && 2 * std::abs(x) == columns) cell /= 2;
        if (rows % 2 == 0 && 2 * std::abs(y) == rows) cell /= 2;
        return cell;
    };
    double largest = 0;
    for (const double each : table) largest = std::max(largest, std::abs(each));
    int left = 1, right = 0, top = 1, bottom = 0;
    bool any = false;
    for (int y = first_of(rows); y <= rows / 2; ++y)
        for (int x = first_of(columns); x <= columns / 2; ++x) {
            // `<=` is false for NaN, so NaN counts as non-zero.
            if (std::abs(value(x, y)) <= kNegligible * largest) continue;
            left = any ? std::min(left, x) : x;
            right = any ? std::max(right, x) : x;
            top = any ? std::min(top, y) : y;
            bottom = any ? std::max(bottom, y) : y;
            any = true;
        }
    first_x_ = left;
    first_y_ = top;
    nx_ = right - left + 1;
    ny_ = bottom - top + 1;
    double sizes = 0;
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
            values_.push_back(value(x, y));
            sizes += std::abs(values_.back());
        }
    sum_ = sum_at(0, 0).real();
    directed_ = std::abs(sum_at(0.7, 1.1) - sum_at(0.7, -1.1)) > kSameSymbol * sizes;
}

Complex KernelSymbol::at(double kx, double ky) const {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = known_.try_emplace({kx, ky});
    if (is_new) entry->second = sum_at(kx, ky);
    return entry->second;
}

Complex KernelSymbol::sum_at(double kx, double ky) const {
    std::vector<Complex> turns;
    for (int x = 0; x < nx_; ++x) turns.push_back(std::polar(1.0, -kx * (first_x_ + x)));
    Complex sum = 0;
    for (int y = 0; y < ny_; ++y) {
        double re = 0, im = 0;
        const double* row = values_.data() + std::ptrdiff_t(y) * nx_;
        for (int x = 0; x < nx_; ++x) {
            re += row[x] * turns[std::size_t(x)].real();
            im += row[x] * turns[std::size_t(x)].imag();
        }
        sum += Complex(re, im) * std::polar(1.0, -ky * (first_y_ + y));
    }
    return sum;
}

}  // namespace stencil::equation
