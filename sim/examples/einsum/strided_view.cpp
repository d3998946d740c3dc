#include "sim/examples/einsum/strided_view.h"

#include <algorithm>
#include <cassert>

namespace stencil::einsum {

LabelSet StridedView::labels() const {
    LabelSet set;
    for (const LabelledAxis& axis : axes) set.set(std::size_t(axis.label));
    return set;
}

std::int64_t StridedView::stride(int label) const {
    const auto axis = std::ranges::find(axes, label, &LabelledAxis::label);
    return axis == axes.end() ? 0 : axis->stride;
}

Labels StridedView::only(const LabelSet& set) const {
    Labels result;
    for (const LabelledAxis& axis : axes)
        if (set[std::size_t(axis.label)]) result.push_back(axis.label);
    return result;
}

void StridedView::sort() {
    std::ranges::stable_sort(axes, std::greater(), &LabelledAxis::stride);
}

StridedView contiguous_view(int tensor, const Labels& order, const std::vector<std::int64_t>& sizes) {
    StridedView view{tensor, {}};
    std::int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        view.axes.push_back({order[i], stride});
        stride *= sizes[std::size_t(order[i])];
    }
    std::ranges::reverse(view.axes);
    return view;
}

std::optional<StridedAxis> merged(const StridedView& view,
                                  const Labels& order,
                                  const std::vector<std::int64_t>& sizes) {
    StridedAxis axis;
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::int64_t stride = view.stride(order[i]);
        if (i + 1 == order.size())
            axis.stride = stride;
        else if (stride != axis.stride * axis.count)
            return std::nullopt;
        axis.count *= sizes[std::size_t(order[i])];
    }
    return axis;
}

std::optional<BatchedMatrix> as_matrices(const StridedView& view,
                                         const Labels& batch,
                                         const Labels& rows,
                                         const Labels& columns,
                                         const std::vector<std::int64_t>& sizes) {
    const auto b = merged(view, batch, sizes), r = merged(view, rows, sizes),
               c = merged(view, columns, sizes);
    if (!b || !r || !c) return std::nullopt;
    const auto leading = [](const StridedAxis& far, const StridedAxis& near) {
        return far.count == 1 ? std::max(near.count, far.stride) : far.stride;
    };
    if (c->stride == 1 && leading(*r, *c) >= c->count)
        return BatchedMatrix{leading(*r, *c), b->stride, false};
    if (r->stride == 1 && leading(*c, *r) >= r->count) return BatchedMatrix{leading(*c, *r), b->stride, true};
    return std::nullopt;
}

ProductShape product_shape(const Labels& order,
                           const StridedView& a,
                           const StridedView* b,
                           const std::vector<std::int64_t>& sizes) {
    ProductShape shape;
    for (const int label : order) {
        const std::int64_t count = sizes[std::size_t(label)];
        const std::int64_t a_stride = a.stride(label), b_stride = b ? b->stride(label) : 0;
        const int last = shape.axes - 1;
        // One walk with the axis before where both go on evenly.
        if (last >= 0 && shape.a[last] == a_stride * count && shape.b[last] == b_stride * count) {
            shape.count[last] *= count;
            shape.a[last] = a_stride;
            shape.b[last] = b_stride;
            continue;
        }
        assert(shape.axes < ProductShape::kMaxAxes);
        shape.count[shape.axes] = count;
        shape.a[shape.axes] = a_stride;
        shape.b[shape.axes] = b_stride;
        ++shape.axes;
    }
    return shape;
}

}  // namespace stencil::einsum
