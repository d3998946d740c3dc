// Labelled, strided views of tensors: what the planner asks about them.
#pragma once

#include <optional>
#include <vector>

#include "kernels/examples/einsum/arithmetic.h"
#include "sim/examples/einsum/path.h"

namespace stencil::einsum {

using Labels = std::vector<int>;

struct LabelledAxis {
    int label = 0;
    std::int64_t stride = 0;
};

struct StridedView {
    int tensor = 0;
    std::vector<LabelledAxis> axes;  ///< each label once, the largest stride first

    LabelSet labels() const;
    /// 0 for a label that it doesn't have.
    std::int64_t stride(int label) const;
    /// Those of its labels that are in the set, in its own order.
    Labels only(const LabelSet& set) const;
    /// All of them.
    Labels order() const { return only(~LabelSet()); }
    void sort();
};

/// Over these labels in C order without gaps.
StridedView contiguous_view(int tensor, const Labels& order, const std::vector<std::int64_t>& sizes);

/// The labels as one axis, where they can be walked so in this order; no labels are an axis of one value.
std::optional<StridedAxis> merged(const StridedView& view,
                                  const Labels& order,
                                  const std::vector<std::int64_t>& sizes);

/// The view as rows and columns of a batch of matrices, where BLAS can take it so.
std::optional<BatchedMatrix> as_matrices(const StridedView& view,
                                         const Labels& batch,
                                         const Labels& rows,
                                         const Labels& columns,
                                         const std::vector<std::int64_t>& sizes);

/// A product over the labels in this order; b may be null.
ProductShape product_shape(const Labels& order,
                           const StridedView& a,
                           const StridedView* b,
                           const std::vector<std::int64_t>& sizes);

}  // namespace stencil::einsum
