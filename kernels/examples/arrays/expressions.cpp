#include "kernels/examples/arrays/elementwise.h"

namespace stencil {
namespace {

constexpr PassUse kSineOfLine[] = {{Pass::twice, Place::in, Place::none, Place::out},
                                   {Pass::plus_one, Place::out, Place::none, Place::first_scratch},
                                   {Pass::sine, Place::first_scratch, Place::none, Place::out}};
constexpr PassUse kSine[] = {{Pass::sine, Place::in, Place::none, Place::out}};
constexpr PassUse kSquare[] = {{Pass::square, Place::in, Place::none, Place::out}};
constexpr PassUse kChain[] = {{Pass::sine, Place::in, Place::none, Place::first_scratch},
                              {Pass::cosine, Place::in, Place::none, Place::second_scratch},
                              {Pass::product, Place::first_scratch, Place::second_scratch, Place::out},
                              {Pass::exponential, Place::out, Place::none, Place::first_scratch},
                              {Pass::choose, Place::first_scratch, Place::none, Place::out}};

constexpr ExpressionRow kExpressions[] = {
    {Expression::sine_of_line, "sin2x1", "sin(2x + 1)", kSineOfLine, 1, 4000, 4000},
    {Expression::sine, "sin", "sin x", kSine, 0, 1024, 1024},
    {Expression::square, "square", "x^2", kSquare, 0, 1024, 1024},
    {Expression::chain, "chain", "y = exp(sin x cos x), y > 0.5 ? 2y : y/2", kChain, 2, 1000, 1000},
};

}  // namespace

std::span<const ExpressionRow> expressions() {
    return kExpressions;
}

const ExpressionRow& row_of(Expression expression) {
    return kExpressions[std::size_t(expression)];
}

}  // namespace stencil
