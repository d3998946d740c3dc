#include "sim/examples/einsum/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/field/random.h"
#include "sim/text/names.h"

namespace stencil::einsum {
namespace {

// Multiplications of the definition that take about a second in all.
constexpr double kMaxTerms = 1e8;
constexpr std::int64_t kMaxChecked = 200;

// Value number `index` of the result in C order, as einsum is defined: a loop over all labels, without plans,
// libraries or rounding worth mentioning.
long double direct_value(const Contraction& contraction,
                         std::span<const double* const> operands,
                         std::int64_t index) {
    std::vector<std::int64_t> at(contraction.sizes.size());  // by label
    for (std::size_t i = contraction.output.size(); i-- > 0;) {
        const auto label = std::size_t(contraction.output[i]);
        at[label] = index % contraction.sizes[label];
        index /= contraction.sizes[label];
    }
    long double sum = 0;
    const auto add = [&](const auto& self,
                         std::size_t label) -> void {  // all values of this label and later ones
        if (label < at.size() && contains(contraction.output, int(label))) return self(self, label + 1);
        if (label < at.size()) {
            for (at[label] = 0; at[label] < contraction.sizes[label]; ++at[label]) self(self, label + 1);
            return;
        }
        long double term = 1;
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const auto& shape = contraction.shapes[o];
            std::int64_t place = 0;
            for (std::size_t axis = 0; axis < shape.size(); ++axis)  // one of length 1 is repeated
                place = place * shape[axis] +
                        (shape[axis] == 1 ? 0 : at[std::size_t(contraction.operands[o][axis])]);
            term *= (long double)(operands[o][place]);
        }
        sum += term;
    };
    add(add, 0);
    return sum;
}

}  // namespace

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

void check_by_definition(ReportRow& row,
                         const Contraction& contraction,
                         std::span<const double* const> operands,
                         std::span<const double> result,
                         const ExampleContext& context) {
    const auto values = std::int64_t(result.size());
    double terms = 1;  // multiplications for one value
    for (std::size_t label = 0; label < contraction.sizes.size(); ++label)
        if (!contains(contraction.output, int(label))) terms *= double(contraction.sizes[label]);
    const auto count =
        std::int64_t(std::min({kMaxTerms / std::max(1.0, terms), double(kMaxChecked), double(values)}));
    if (count == 0) {
        row.error = values == 0 ? 0 : kNotMeasured;
        row.check = values == 0 ? "no values" : "a direct loop would take too long";
        return;
    }
    Random random(1);
    std::vector<double> some, reference;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = count == values ? i : std::int64_t(random.next_double() * double(values));
        some.push_back(result[std::size_t(at)]);
        reference.push_back(double(direct_value(contraction, operands, at)));
        context.pause();
    }
    row.error = error_norms<double>(some, reference).relative();
    row.check = fmt::format("{} of {} values against a direct loop in extended precision", count, values);
}

template ErrorNorms error_norms(std::span<const float>, std::span<const double>);
template ErrorNorms error_norms(std::span<const double>, std::span<const double>);

}  // namespace stencil::einsum
