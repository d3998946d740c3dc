// Fuzzes einsum: subscripts in the first line, label sizes in the second.
#include "sim/examples/einsum/subscripts.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;
using namespace stencil::einsum;

namespace stencil_fuzz {
namespace {

std::string text_of(const SubscriptTerm& term) {
    std::string text;
    for (const char label : term.labels) text += label == '.' ? "..." : std::string(1, label);
    return text;
}

std::string text_of(const Subscripts& subscripts) {
    std::string text;
    for (std::size_t i = 0; i < subscripts.operands.size(); ++i)
        text += (i > 0 ? "," : "") + text_of(subscripts.operands[i]);
    return text + "->" + text_of(subscripts.output);
}

void check_contraction(const Subscripts& subscripts, std::string_view sizes) {
    const auto shapes = shapes_for(subscripts, parse_label_sizes(sizes));
    const Contraction bound = bind_subscripts(subscripts, shapes);
    double values = 1;
    for (const auto n : bound.output_shape()) {
        require(n >= 0, "an axis has a length");
        values *= double(n);
    }
    require(values < 0x1p40, "the result can be counted");
    require(bound.naive_flops() >= 0, "work is not negative");
}

void run_one(std::string_view input) {
    const std::size_t line = input.find('\n');
    Subscripts subscripts;
    if (!accepted([&] { subscripts = parse_subscripts(input.substr(0, line)); })) return;
    const std::string text = text_of(subscripts);
    require(
        text_of(parse_subscripts(text)) == text, "subscripts stay what they are", std::string(input), text);
    const auto sizes = line == std::string_view::npos ? std::string_view() : input.substr(line + 1);
    accepted([&] { check_contraction(subscripts, sizes); });
}

std::vector<std::string> seeds() {
    return {"ij,jk->ik\ni=3,j=4,k=5",
            "...ii->...i\ni=3,...=2x1",
            "ij,jk",
            "i,i->\ni=1000000",
            ",a->a\na=7",
            "aab , bc -> Zc\na=2"};
}

const Target target("einsum", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
