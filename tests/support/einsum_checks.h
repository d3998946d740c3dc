// Einsum's cases with shapes, and what they should be: NumPy's rules as a loop over all labels.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/examples/einsum/slicing.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

namespace stencil_test {

using Shapes = std::vector<std::vector<std::int64_t>>;

struct EinsumCase {
    std::string subscripts;
    Shapes shapes;
};

/// What NumPy's own tests go through, and what plans have branches for.
inline const std::vector<EinsumCase> kEinsumCases = {
    // Scalars, copies, transposes, diagonals, traces, sums.
    {"", {{}}},
    {",", {{}, {}}},
    {"->", {{}}},
    {"i", {{7}}},
    {"i->", {{9001}}},
    {"ij", {{3, 5}}},
    {"ji", {{3, 5}}},
    {"ba", {{33, 65}}},
    {"aB", {{3, 5}}},
    {"ij->ji", {{130, 70}}},
    {"ijk->kji", {{17, 5, 33}}},
    {"ijk->jik", {{4, 5, 6}}},
    {"ii", {{5, 5}}},
    {"ii->i", {{6, 6}}},
    {"iij->j", {{4, 4, 3}}},
    {"iji->ji", {{4, 3, 4}}},
    {"iii->i", {{5, 5, 5}}},
    {"ijji->", {{3, 4, 4, 3}}},
    {"ij->i", {{13, 4000}}},
    {"ij->j", {{600, 37}}},
    {"ijk->j", {{5, 7, 9}}},
    {"ijkl->jl", {{3, 4, 5, 6}}},
    {"ijk->ik", {{30, 40, 50}}},
    {"...", {{2, 3, 4}}},
    {"...i->...", {{2, 3, 4}}},
    {"i...->...", {{2, 3, 4}}},
    {"ii...->...i", {{3, 3, 2}}},
    {"...ii->...i", {{2, 3, 3}}},
    {"...->", {{3, 4}}},
    {"i...->...i", {{2, 3, 4}}},
    {" i j -> j ", {{2, 3}}},
    // Pairs.
    {"i,i", {{1000}, {1000}}},
    {"i,i->i", {{11}, {11}}},
    {"i,j", {{5}, {7}}},
    {"i,j->", {{5}, {7}}},
    {"ij,jk", {{31, 17}, {17, 23}}},
    {"ij,jk->ki", {{31, 17}, {17, 23}}},
    {"ij,kj->ik", {{31, 17}, {23, 17}}},
    {"ji,jk->ik", {{17, 31}, {17, 23}}},
    {"ji,kj->ki", {{17, 31}, {23, 17}}},
    {"ij,jk->...k", {{101, 57}, {57, 73}}},
    {"ij,jk->", {{11, 13}, {13, 17}}},
    {"ij,j->i", {{401, 57}, {57}}},
    {"ij,i->j", {{401, 57}, {401}}},
    {"ijk,j->ik", {{5, 30, 7}, {30}}},
    {"ijk,ik->j", {{5, 30, 7}, {5, 7}}},
    {"ijk,kj->i", {{5, 6, 7}, {7, 6}}},
    {"bij,bjk->bik", {{4, 5, 6}, {4, 6, 7}}},
    {"bij,bjk->ikb", {{4, 5, 6}, {4, 6, 7}}},
    {"ibj,bjk->ibk", {{5, 4, 6}, {4, 6, 7}}},
    {"ijb,jkb->bik", {{5, 6, 4}, {6, 7, 4}}},
    {"bi,bi->b", {{6, 50}, {6, 50}}},
    {"bij,bj->bi", {{4, 5, 6}, {4, 6}}},
    {"bij,bi->bj", {{4, 5, 6}, {4, 5}}},
    {"ib,ijb->jb", {{5, 4}, {5, 6, 4}}},
    {"bij,ib->bj", {{4, 5, 6}, {5, 4}}},
    {"bij,bij->b", {{4, 5, 6}, {4, 5, 6}}},
    {"abij,abjk->abik", {{2, 3, 4, 5}, {2, 3, 5, 6}}},
    {"abij,bajk->abik", {{2, 3, 4, 5}, {3, 2, 5, 6}}},
    {"ijkl,klmn->ijmn", {{2, 3, 4, 5}, {4, 5, 6, 7}}},
    {"ijkl,lkmn->mnij", {{2, 3, 4, 5}, {5, 4, 6, 7}}},
    {"ijkl,jm->imkl", {{2, 3, 4, 5}, {3, 6}}},
    {"iij,jk->ik", {{4, 4, 5}, {5, 6}}},
    {"ii,jj", {{4, 4}, {5, 5}}},
    {"ij,ji->", {{20, 30}, {30, 20}}},
    {"ij,ij->ij", {{20, 30}, {20, 30}}},
    {"ij,ji->ij", {{40, 30}, {30, 40}}},
    {"...ij,...jk->...ik", {{2, 3, 4}, {4, 5}}},
    {"...ij,...jk", {{3, 1, 4, 5}, {2, 5, 6}}},
    {"...,...", {{2, 3}, {3}}},
    {"...,...->", {{2, 1}, {1, 5}}},
    {"i...,i...->...", {{4, 3}, {4, 2, 3}}},
    {"a...a,...b->ab...", {{3, 2, 3}, {2, 4}}},
    {"i,...->...i", {{4}, {2, 3}}},
    {"a,ab->ab", {{3}, {3, 4}}},
    // Lengths of 1 that are repeated, and of 0.
    {"ij,jk", {{3, 1}, {4, 5}}},
    {"ij,ij->ij", {{1, 3}, {2, 1}}},
    {"ij,jk->ik", {{1, 6}, {6, 1}}},
    {"i,i", {{1}, {5}}},
    {"ii,i->i", {{1, 1}, {5}}},
    {"ij->i", {{2, 0}}},
    {"i,i", {{0}, {0}}},
    {"i,i", {{0}, {1}}},
    {"ij,jk->ik", {{3, 0}, {0, 4}}},
    {"ij,jk->ik", {{0, 3}, {3, 4}}},
    {"i->i", {{0}}},
    // Several.
    {"ij,jk,kl->il", {{10, 20}, {20, 5}, {5, 30}}},
    {"ij,jk,kl", {{2, 3}, {3, 4}, {4, 5}}},
    {"i,j,k->ijk", {{2}, {3}, {4}}},
    {"ij,ij,ij->", {{4, 5}, {4, 5}, {4, 5}}},
    {"ab,ac,ad->bcd", {{3, 4}, {3, 5}, {3, 6}}},
    {"ea,fb,abcd,gc,hd->efgh", {{3, 3}, {3, 3}, {3, 3, 3, 3}, {3, 3}, {3, 3}}},
    {"abhe,hidj,jgba,hiab,gab", {{2, 3, 4, 5}, {4, 2, 6, 3}, {3, 4, 3, 2}, {4, 2, 2, 3}, {4, 2, 3}}},
    {"a,ac,ab,ad,cd,bd,bc->", {{3}, {3, 4}, {3, 2}, {3, 5}, {4, 5}, {2, 5}, {2, 4}}},
    {"ab,bc,cd,de,ef,fg,gh,hi,ij->aj",
     {{2, 3}, {3, 4}, {4, 3}, {3, 2}, {2, 4}, {4, 3}, {3, 2}, {2, 5}, {5, 3}}},
    {"...a,...ab,b...->...", {{2, 3}, {2, 3, 4}, {4, 2}}},
};

/// The result by the definition, and its shape, without any of the code under test. Operands are in C order.
struct NaiveEinsum {
    std::vector<std::int64_t> shape;
    std::vector<double> values, magnitudes;

    NaiveEinsum(const EinsumCase& one, const std::vector<std::vector<double>>& operands) {
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
        std::int64_t count = 1;
        for (const std::int64_t n : shape) count *= n;
        values.assign(std::size_t(count), 0);
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

  private:
    static std::string without_spaces(std::string text) {
        std::erase(text, ' ');
        return text;
    }
    static std::string implicit(const std::vector<std::string>& terms) {
        std::map<char, int> counts;
        for (const std::string& term : terms)
            for (const char c : term) ++counts[c];
        std::string output = counts.contains('.') ? "..." : "";
        for (const auto& [label, count] : counts)
            if (count == 1 && label != '.') output += label;
        return output;
    }
    // Digits stand for the axes of the ellipsis, counted from the right.
    static std::string spelled(const std::string& term, std::size_t axes, std::size_t dots) {
        const std::size_t at = term.find("...");
        if (at == std::string::npos) return term;
        const std::string digits = std::string("0123456789").substr(0, dots);
        return term.substr(0, at) + digits.substr(dots - axes) + term.substr(at + 3);
    }
    static std::size_t place(const std::string& term,
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
};

template <class T>
std::vector<std::vector<T>> random_operands(Dice& random, const Shapes& shapes) {
    std::vector<std::vector<T>> operands;
    for (const auto& shape : shapes) {
        std::size_t count = 1;
        for (const std::int64_t n : shape) count *= std::size_t(n);
        auto& operand = operands.emplace_back(count);
        for (T& value : operand) value = T(random.uniform(-1, 1));
    }
    return operands;
}

/// The largest error beside the sum of magnitudes; NaN where a value is none.
template <class T>
double einsum_error(const NaiveEinsum& truth, const std::vector<T>& result) {
    REQUIRE(result.size() == truth.values.size());
    double worst = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double off = std::abs(double(result[i]) - truth.values[i]);
        if (std::isnan(off)) return off;
        if (off > 0) worst = std::max(worst, off / truth.magnitudes[i]);
    }
    return worst;
}

template <class T>
constexpr double kEinsumTolerance = sizeof(T) == 4 ? 2e-6 : 1e-14;

template <class T>
NaiveEinsum naive_einsum(const EinsumCase& one, const std::vector<std::vector<T>>& operands) {
    std::vector<std::vector<double>> wide;
    for (const auto& operand : operands) wide.emplace_back(operand.begin(), operand.end());
    return NaiveEinsum(one, wide);
}

inline stencil::Contraction contraction_of(const EinsumCase& one) {
    return stencil::bind_subscripts(stencil::parse_subscripts(one.subscripts), one.shapes);
}

}  // namespace stencil_test
