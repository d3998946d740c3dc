#include "sim/examples/einsum/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/field/random.h"

namespace stencil::einsum {
namespace {

// Multiplications of the definition that take about a second in all.
constexpr double kMaxTerms = 1e8;
constexpr std::int64_t kMaxChecked = 200;

// By operand, how far a step along a label leads; an axis of length 1 is repeated.
std::vector<std::vector<std::int64_t>> strides_of(const Contraction& contraction) {
    std::vector<std::vector<std::int64_t>> all;
    for (std::size_t i = 0; i < contraction.operands.size(); ++i) {
        auto& strides = all.emplace_back(contraction.sizes.size());
        std::int64_t stride = 1;
        for (std::size_t axis = contraction.operands[i].size(); axis-- > 0;) {
            if (contraction.shapes[i][axis] != 1)
                strides[std::size_t(contraction.operands[i][axis])] += stride;
            stride *= contraction.shapes[i][axis];
        }
    }
    return all;
}

std::vector<std::size_t> summed_labels(const Contraction& contraction) {
    std::vector<std::size_t> summed;
    for (std::size_t label = 0; label < contraction.sizes.size(); ++label)
        if (std::ranges::find(contraction.output, int(label)) == contraction.output.end())
            summed.push_back(label);
    return summed;
}

}  // namespace

template <class T>
long double direct_value(const Contraction& contraction,
                         std::span<const T* const> operands,
                         std::int64_t index) {
    const auto strides = strides_of(contraction);
    std::vector<std::int64_t> at(operands.size());
    for (std::size_t i = contraction.output.size(); i-- > 0;) {
        const auto label = std::size_t(contraction.output[i]);
        const std::int64_t k = index % contraction.sizes[label];
        index /= contraction.sizes[label];
        for (std::size_t o = 0; o < operands.size(); ++o) at[o] += k * strides[o][label];
    }
    const std::vector<std::size_t> summed = summed_labels(contraction);
    for (const std::size_t label : summed)
        if (contraction.sizes[label] == 0) return 0;
    std::vector<std::int64_t> counter(summed.size());
    long double sum = 0;
    for (;;) {
        long double term = 1;
        for (std::size_t o = 0; o < operands.size(); ++o) term *= (long double)(operands[o][at[o]]);
        sum += term;
        std::size_t i = summed.size();
        for (; i > 0; --i) {
            const std::size_t label = summed[i - 1];
            const bool done = ++counter[i - 1] == contraction.sizes[label];
            const std::int64_t steps = done ? 1 - contraction.sizes[label] : 1;
            for (std::size_t o = 0; o < operands.size(); ++o) at[o] += steps * strides[o][label];
            if (!done) break;
            counter[i - 1] = 0;
        }
        if (i == 0) return sum;
    }
}

template <class T>
ErrorNorms error_norms(std::span<const T> result, std::span<const double> reference) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double off = double(result[i]) - reference[i];
        error += off * off;
        norm += reference[i] * reference[i];
    }
    return {std::sqrt(error), std::sqrt(norm)};
}

template <class T>
void check_by_definition(ReportRow& row,
                         const Contraction& contraction,
                         std::span<const T* const> operands,
                         std::span<const T> result,
                         const ExampleContext& context) {
    const auto values = std::int64_t(result.size());
    double terms = 1;  // multiplications for one value
    for (const std::size_t label : summed_labels(contraction)) terms *= double(contraction.sizes[label]);
    const auto count =
        std::int64_t(std::min({kMaxTerms / std::max(1.0, terms), double(kMaxChecked), double(values)}));
    if (count == 0) {
        row.error = values == 0 ? 0 : kNotMeasured;
        row.check = values == 0 ? "no values" : "a direct loop would take too long";
        return;
    }
    Random random(1);
    std::vector<T> some;
    std::vector<double> reference;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = count == values ? i : std::int64_t(random.next_double() * double(values));
        some.push_back(result[std::size_t(at)]);
        reference.push_back(double(direct_value(contraction, operands, at)));
        context.pause();
    }
    row.error = error_norms<T>(some, reference).relative();
    row.check = fmt::format("{} of {} values against a direct loop in extended precision", count, values);
}

template long double direct_value(const Contraction&, std::span<const float* const>, std::int64_t);
template long double direct_value(const Contraction&, std::span<const double* const>, std::int64_t);
template ErrorNorms error_norms(std::span<const float>, std::span<const double>);
template ErrorNorms error_norms(std::span<const double>, std::span<const double>);
template void check_by_definition(ReportRow&,
                                  const Contraction&,
                                  std::span<const double* const>,
                                  std::span<const double>,
                                  const ExampleContext&);

}  // namespace stencil::einsum
