// Subscripts of einsum as NumPy understands them: "ij,jk->ik", "...ii->...i", "ij,jk".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stencil::einsum {

/// The subscripts of one operand, or of the output.
struct SubscriptTerm {
    std::string labels;  ///< letters, and a '.' for the ellipsis

    bool has(char label) const { return labels.find(label) != std::string::npos; }
    /// The number of letters.
    int letters() const { return int(labels.size()) - (has('.') ? 1 : 0); }
};

struct Subscripts {
    std::vector<SubscriptTerm> operands;
    SubscriptTerm output;  ///< without "->": the ellipsis, then what occurs once, sorted
};

/// Throws InputError.
Subscripts parse_subscripts(std::string_view text);

/// Operands, intermediates and the result have fewer values.
inline constexpr double kTooManyValues = 1099511627776.0;  // 2^40

/// Parsed subscripts: every axis has a label, labels are numbered, and each has one size.
struct Contraction {
    using Shape = std::vector<std::int64_t>;

    std::vector<std::string> names;  ///< by label; those of an ellipsis "...0", from the left
    Shape sizes;                     ///< by label
    std::vector<std::vector<int>> operands;
    std::vector<Shape> shapes;  ///< an axis of length 1 is repeated where its label is longer
    std::vector<int> output;

    Shape output_shape() const;
    /// Multiplications and additions of the loop over all labels at once.
    double naive_flops() const;
};

/// The number of values of an array.
std::int64_t product_of(const Contraction::Shape& shape);

/// Throws InputError where the subscripts and the operands' shapes don't agree, and where the result would
/// have 2^40 values or more.
Contraction bind_subscripts(const Subscripts& subscripts, const std::vector<Contraction::Shape>& shapes);

/// Sizes of labels as "i=100,j=200,...=4x5"; the ellipsis' is of all of its axes.
struct LabelSizes {
    std::map<char, std::int64_t> labels;
    Contraction::Shape ellipsis;
};
/// Throws InputError. An empty text has no sizes.
LabelSizes parse_label_sizes(std::string_view text);

/// Shapes of operands of these sizes. Throws InputError for a label that has none.
std::vector<Contraction::Shape> shapes_for(const Subscripts& subscripts, const LabelSizes& sizes);

}  // namespace stencil::einsum
