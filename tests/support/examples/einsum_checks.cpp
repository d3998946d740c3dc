#include "tests/support/examples/einsum_checks.h"

namespace stencil_test {
namespace {

std::string without_spaces(std::string text) {
    std::erase(text, ' ');
    return text;
}

std::string implicit(const std::vector<std::string>& terms) {
    std::map<char, int> counts;
    for (const std::string& term : terms)
        for (const char c : term) ++counts[c];
    std::string output = counts.contains('.') ? "..." : "";
    for (const auto& [label, count] : counts)
        if (count == 1 && label != '.') output += label;
    return output;
}

// Digits stand for the axes of the ellipsis, counted from the right.
std::string spelled(const std::string& term, std::size_t axes, std::size_t dots) {
    const std::size_t at = term.find("...");
    if (at == std::string::npos) return term;
    const std::string digits = std::string("0123456789").substr(0, dots);
    return term.substr(0, at) + digits.substr(dots - axes) + term.substr(at + 3);
}

std::size_t place(const std::string& term,
                  const std::vector<std::int64_t>& lengths,
                  const std::map<char, std::int64_t>& at) {
    std::int64_t index = 0;
    for (std::size_t axis = 0; axis < term.size(); ++axis)
        index = index * lengths[axis] + (lengths[axis] == 1 ? 0 : at.at(term[axis]));
    return std::size_t(index);
}

void loop(const std::map<char, std::int64_t>& sizes,
          std::map<char, std::int64_t>::const_iterator label,
          std::map<char, std::int64_t>& at,
          const std::function<void()>& work) {
    if (label == sizes.end()) return work();
    for (at[label->first] = 0; at[label->first] < label->second; ++at[label->first])
        loop(sizes, std::next(label), at, work);
}

}  // namespace

NaiveEinsum::NaiveEinsum(const EinsumCase& one, const std::vector<std::vector<double>>& operands) {
    const std::string text = without_spaces(one.subscripts);
    const std::size_t arrow = text.find("->");
    std::vector<std::string> terms{""};
    for (const char c : text.substr(0, arrow))
        if (c == ',')
            terms.emplace_back();
        else
            terms.back() += c;
    std::size_t dots = 0;
    for (std::size_t i = 0; i < terms.size(); ++i)
        if (terms[i].find('.') != std::string::npos)
            dots = std::max(dots, one.shapes[i].size() - (terms[i].size() - 3));
    std::string output = arrow == std::string::npos ? implicit(terms) : text.substr(arrow + 2);
    output = spelled(output, dots, dots);
    std::map<char, std::int64_t> sizes;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const bool has_dots = terms[i].find('.') != std::string::npos;
        terms[i] = spelled(terms[i], has_dots ? one.shapes[i].size() - (terms[i].size() - 3) : 0, dots);
        for (std::size_t axis = 0; axis < terms[i].size(); ++axis) {
            std::int64_t& size = sizes.emplace(terms[i][axis], 1).first->second;
            if (size == 1) size = one.shapes[i][axis];
        }
    }
    for (const char label : output) shape.push_back(sizes.at(label));
    values.assign(std::size_t(stencil::einsum::product_of(shape)), 0);
    magnitudes = values;
    std::map<char, std::int64_t> at;
    loop(sizes, sizes.begin(), at, [&] {
        double term = 1;
        for (std::size_t i = 0; i < terms.size(); ++i)
            term *= operands[i][place(terms[i], one.shapes[i], at)];
        values[place(output, shape, at)] += term;
        magnitudes[place(output, shape, at)] += std::abs(term);
    });
}

}  // namespace stencil_test
