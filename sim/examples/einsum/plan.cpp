#include "sim/examples/einsum/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <bitset>
#include <cassert>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/field/divide.h"
#include "sim/text/error.h"

namespace stencil::einsum {
namespace {

/// 52 letters and at most 64 axes of an ellipsis.
using LabelSet = std::bitset<128>;
using Sizes = std::vector<std::int64_t>;  // by label

// The number of values over these labels.
double values_of(const LabelSet& labels, const Sizes& sizes) {
    double product = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (labels[i]) product *= double(sizes[i]);
    return product;
}

/// The cheapest way to multiply a set of operands, as two parts.
struct Best {
    double flops = std::numeric_limits<double>::infinity();
    double values = std::numeric_limits<double>::infinity();  ///< of all intermediates
    unsigned part = 0;                                        ///< the operands of one of them, as bits
    LabelSet labels = {};                                     ///< that are still needed outside of the set
};

// For each set of operands, as bits of a number: of all orders the one with the fewest operations, of equally
// cheap ones that with the smallest intermediates.
std::vector<Best> best_orders(const std::vector<LabelSet>& operands,
                              const LabelSet& output,
                              const Sizes& sizes) {
    std::vector<Best> best(std::size_t(1) << operands.size());
    for (unsigned set = 1; set < best.size(); ++set) {
        Best& here = best[set];
        LabelSet inside, outside = output;
        for (std::size_t i = 0; i < operands.size(); ++i) (set >> i & 1 ? inside : outside) |= operands[i];
        here.labels = std::has_single_bit(set) ? inside : inside & outside;
        if (std::has_single_bit(set)) here.flops = here.values = 0;
        for (unsigned part = (set - 1) & set; part > 0; part = (part - 1) & set) {
            if (part < (set ^ part)) continue;  // the same two the other way round
            const Best &a = best[part], &b = best[set ^ part];
            const LabelSet all = a.labels | b.labels;
            const double factor = (all & ~here.labels).any() ? 2 : 1;
            const double flops = a.flops + b.flops + factor * values_of(all, sizes);
            const double values = a.values + b.values + values_of(here.labels, sizes);
            if (flops < here.flops || (flops == here.flops && values < here.values))
                here = {flops, values, part, here.labels};
        }
    }
    return best;
}

using Labels = std::vector<int>;

struct LabelledAxis {
    int label = 0;
    std::int64_t stride = 0;
};

/// A labelled, strided view of a tensor.
struct StridedView {
    int tensor = 0;
    std::vector<LabelledAxis> axes;  ///< each label once, the largest stride first

    LabelSet labels() const {
        LabelSet set;
        for (const LabelledAxis& axis : axes) set.set(std::size_t(axis.label));
        return set;
    }
    /// 0 for a label that it doesn't have.
    std::int64_t stride(int label) const {
        const auto axis = std::ranges::find(axes, label, &LabelledAxis::label);
        return axis == axes.end() ? 0 : axis->stride;
    }
    /// Those of its labels that are in the set, in its own order.
    Labels only(const LabelSet& set) const {
        Labels result;
        for (const LabelledAxis& axis : axes)
            if (set[std::size_t(axis.label)]) result.push_back(axis.label);
        return result;
    }
    /// All of them.
    Labels order() const { return only(~LabelSet()); }
};

// Over these labels in C order without gaps.
StridedView contiguous_view(int tensor, const Labels& order, const Sizes& sizes) {
    StridedView view{tensor, {}};
    std::int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        view.axes.push_back({order[i], stride});
        stride *= sizes[std::size_t(order[i])];
    }
    std::ranges::reverse(view.axes);
    return view;
}

// The labels as one axis, where they can be walked so in this order; no labels are an axis of one value.
std::optional<StridedAxis> merged(const StridedView& view, const Labels& order, const Sizes& sizes) {
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

// The view as rows and columns of a batch of matrices, where BLAS can take it so.
std::optional<BatchedMatrix> as_matrices(const StridedView& view,
                                         const Labels& batch,
                                         const Labels& rows,
                                         const Labels& columns,
                                         const Sizes& sizes) {
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

// A product over the labels in this order; b may be null.
ProductShape product_shape(const Labels& order,
                           const StridedView& a,
                           const StridedView* b,
                           const Sizes& sizes) {
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

/// Which labels two views share, and what becomes of them.
struct PairLabels {
    LabelSet batch, contracted, left, right;

    PairLabels(const LabelSet& a, const LabelSet& b, const LabelSet& keeps)
        : batch(a & b & keeps), contracted(a & b & ~keeps), left(a & ~b), right(b & ~a) {}
};

Labels joined(std::initializer_list<Labels> parts) {
    Labels all;
    for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

/// Makes the steps one after the other. Each takes views of tensors that are there and adds one that is
/// contiguous; only where no kernel can walk a view as it is does a copy come before it:
///
///     operand_view    a diagonal becomes one axis
///     sum_out         labels of one operand alone                 sums
///     pair            two views:  nothing summed                  element-wise product
///                                 one side has no label alone     weighted sums: one pass over the larger
///                                 otherwise                       (batched) matrix product
///     finish          the result's order of axes                  copy, where it differs
class Planner {
  public:
    explicit Planner(const Contraction& contraction) : contraction_(contraction), sizes_(contraction.sizes) {
        plan_.operands = contraction.operands.size();
        for (const auto& shape : contraction.shapes) plan_.tensors.push_back({product_of(shape), 0});
    }

    Plan plan() {
        if (std::ranges::count(sizes_, 0) > 0) {
            plan_.tensors.push_back({product_of(contraction_.output_shape()), 0});
            return std::move(plan_);
        }
        for (const int label : contraction_.output)
            if (sizes_[std::size_t(label)] > 1) result_order_.push_back(label);

        LabelSet output;
        for (const int label : result_order_) output.set(std::size_t(label));
        for (std::size_t i = 0; i < plan_.operands; ++i) views_.push_back(operand_view(i));
        std::vector<LabelSet> operands;
        for (std::size_t i = 0; i < views_.size(); ++i) {
            LabelSet needed = output;
            for (std::size_t k = 0; k < views_.size(); ++k)
                if (k != i) needed |= views_[k].labels();
            views_[i] = sum_out(views_[i], views_[i].labels() & ~needed);
            operands.push_back(views_[i].labels());
        }
        best_ = best_orders(operands, output, sizes_);
        finish(product(unsigned(best_.size() - 1)));
        constexpr std::int64_t kAlignment = 64;  // values
        for (std::size_t i = plan_.operands; i + 1 < plan_.tensors.size(); ++i) {
            PlanTensor& tensor = plan_.tensors[i];
            tensor.place = plan_.scratch_values;
            plan_.scratch_values += round_up(tensor.values, kAlignment);
            plan_.largest_intermediate = std::max(plan_.largest_intermediate, tensor.values);
        }
        return std::move(plan_);
    }

  private:
    // The product of a set of operands.
    StridedView product(unsigned set) {
        if (std::has_single_bit(set)) return views_[std::size_t(std::countr_zero(set))];
        // The part with the first operand first, so that the order is the reader's where it can be.
        unsigned first = best_[set].part, second = set ^ first;
        if (std::countr_zero(second) < std::countr_zero(first)) std::swap(first, second);
        const StridedView a = product(first), b = product(second);
        return pair(a, b, best_[set].labels, set + 1 == best_.size());
    }

    // Shapes have no more axes, and their values can be counted, below this limit, to which operands and the
    // result are held as well (bind_subscripts).
    std::int64_t values(const Labels& labels) const {
        double product = 1;
        for (const int label : labels) product *= double(sizes_[std::size_t(label)]);
        if (product >= kTooManyValues)
            throw InputError(Given{"subscripts"},
                             "the intermediate array {} would have {:.3g} values; fewer than 2^40 "
                             "are allowed",
                             text(labels),
                             product);
        return std::int64_t(product);
    }

    // A diagonal has the strides of its axes together; an axis of length 1 is not walked at all.
    StridedView operand_view(std::size_t operand) const {
        StridedView view{int(operand), {}};
        const auto& labels = contraction_.operands[operand];
        const auto& shape = contraction_.shapes[operand];
        std::int64_t stride = 1;
        for (std::size_t i = labels.size(); i-- > 0;) {
            if (shape[i] != 1) {
                const auto known = std::ranges::find(view.axes, labels[i], &LabelledAxis::label);
                if (known == view.axes.end())
                    view.axes.push_back({labels[i], stride});
                else
                    known->stride += stride;
            }
            stride *= shape[i];
        }
        std::ranges::reverse(view.axes);
        std::ranges::stable_sort(view.axes, std::greater(), &LabelledAxis::stride);
        return view;
    }

    std::string text(const Labels& labels) const {
        std::string result;
        for (const int label : labels) {
            const std::string& name = contraction_.names[std::size_t(label)];
            result += name[0] == '.' ? fmt::format("({})", name) : name;
        }
        return result;
    }

    /// Adds a step with its shape, kind and operations; the rest follows from its tensors.
    StridedView add_step(PlanStep step, const StridedView& a, const StridedView* b, const Labels& out) {
        plan_.tensors.push_back({values(out), 0});
        step.a = a.tensor;
        step.b = b ? b->tensor : -1;
        step.out = plan_.result();
        step.subscripts =
            fmt::format("{}{}->{}", text(a.order()), b ? "," + text(b->order()) : "", text(out));
        step.values_moved =
            double(values(a.order())) + (b ? double(values(b->order())) : 0) + double(values(out));
        plan_.steps.push_back(std::move(step));
        return contiguous_view(plan_.result(), out, sizes_);
    }

    StridedView copy(const StridedView& view, const Labels& order) {
        return add_step({product_shape(order, view, nullptr, sizes_), "copy"}, view, nullptr, order);
    }

    StridedView multiply(const StridedView& a, const StridedView& b, const Labels& order) {
        const double products = double(values(order));  // refuses what product_shape() has no room for
        return add_step(
            {product_shape(order, a, &b, sizes_), "element-wise product", products}, a, &b, order);
    }

    // From the outermost of the labels inwards: what is left shrinks with each.
    StridedView sum_out(StridedView view, const LabelSet& labels) {
        while ((view.labels() & labels).any()) {
            const Labels order = view.order();
            const auto is_summed = [&](int label) { return bool(labels[std::size_t(label)]); };
            const auto begin = std::ranges::find_if(order, is_summed);
            const auto end = std::find_if_not(begin, order.end(), is_summed);
            const Labels reduced(begin, end);
            if (auto done = weighted_sum(view, reduced, nullptr)) {
                view = *done;
                continue;
            }
            view = copy(view, joined({view.only(~labels), view.only(labels)}));
        }
        return view;
    }

    /// Sums over `reduced`, of the labels before, among and after which each can be walked as one axis.
    struct Sums {
        SumShape shape;
        Labels outer, inner;
    };

    std::optional<Sums> sums_of(const StridedView& view, const Labels& reduced) const {
        Labels outer, inner;
        for (const LabelledAxis& axis : view.axes) {
            if (std::ranges::find(reduced, axis.label) != reduced.end()) continue;
            (axis.stride > view.stride(reduced.front()) ? outer : inner).push_back(axis.label);
        }
        const auto o = merged(view, outer, sizes_), r = merged(view, reduced, sizes_),
                   i = merged(view, inner, sizes_);
        if (!o || !r || !i) return std::nullopt;
        return Sums{{*o, *r, *i}, outer, inner};
    }

    // Outer sums share their weights, or each has its own; those of a sum lie together.
    std::optional<StridedView> weighted_sum(const StridedView& view,
                                            const Labels& reduced,
                                            const StridedView* weights) {
        auto sums = sums_of(view, reduced);
        if (!sums) return std::nullopt;
        StridedView dense;
        if (weights) {
            const LabelSet there = weights->labels();
            const bool own = weights->axes.size() > reduced.size();
            if (own && (weights->axes.size() != reduced.size() + sums->outer.size() ||
                        !std::ranges::all_of(sums->outer, [&](int l) { return there[std::size_t(l)]; })))
                return std::nullopt;
            const auto along = merged(*weights, reduced, sizes_),
                       across = merged(*weights, sums->outer, sizes_);
            if (!along || along->stride != 1 || (own && !across)) {
                dense = copy(*weights, joined({own ? sums->outer : Labels(), reduced}));
                weights = &dense;
            }
            if (own) sums->shape.weight_outer = merged(*weights, sums->outer, sizes_)->stride;
        }
        const double terms = double(values(view.order()));
        return add_step(
            {sums->shape,
             fmt::format(
                 "{}sums of {}", weights ? "weighted " : "", sums->inner.empty() ? "rows" : "columns"),
             (weights ? 2 : 1) * terms},
            view,
            weights,
            joined({sums->outer, sums->inner}));
    }

    StridedView pair(const StridedView& a, const StridedView& b, const LabelSet& keeps, bool is_last) {
        const PairLabels labels(a.labels(), b.labels(), keeps);
        if (labels.contracted.none())
            return multiply(a, b, is_last ? result_order_ : joined({a.order(), b.only(labels.right)}));
        if (labels.batch.none() && (labels.left.none() || labels.right.none()))
            return labels.left.none() ? matrix_vector(b, a, labels.contracted)
                                      : matrix_vector(a, b, labels.contracted);
        if (labels.left.none() || labels.right.none()) {
            const bool swapped = labels.right.any();
            const StridedView &many = swapped ? b : a, &weights = swapped ? a : b;
            if (const auto done = weighted_sum(many, many.only(labels.contracted), &weights)) return *done;
        }
        return multiply_matrices(a, b, labels, is_last);
    }

    // One pass over the matrix.
    StridedView matrix_vector(StridedView matrix, const StridedView& vector, const LabelSet& contracted) {
        if (!sums_of(matrix, matrix.only(contracted)))
            matrix = copy(matrix, joined({matrix.only(~contracted), matrix.only(contracted)}));
        return *weighted_sum(matrix, matrix.only(contracted), &vector);
    }

    struct Factor {
        StridedView view;
        BatchedMatrix matrices;
    };

    Factor factor(StridedView view, const Labels& batch, const Labels& rows, const Labels& columns) {
        if (const auto matrices = as_matrices(view, batch, rows, columns, sizes_)) return {view, *matrices};
        view = copy(view, joined({batch, rows, columns}));
        return {view, *as_matrices(view, batch, rows, columns, sizes_)};
    }

    StridedView multiply_matrices(const StridedView& a,
                                  const StridedView& b,
                                  const PairLabels& labels,
                                  bool is_last) {
        // The larger one stays as it is where it can.
        const StridedView& larger = values(a.order()) >= values(b.order()) ? a : b;
        const Labels batch = larger.only(labels.batch), contracted = larger.only(labels.contracted);
        const Labels left = a.only(labels.left), right = b.only(labels.right);

        // The result comes in its own order where that is one of matrices, or of transposed ones.
        Labels order = joined({batch, left, right});
        if (is_last && as_matrices(contiguous_view(0, result_order_, sizes_), batch, left, right, sizes_))
            order = result_order_;
        const Factor one = factor(a, batch, left, contracted), two = factor(b, batch, contracted, right);
        const BatchedMatrix product =
            *as_matrices(contiguous_view(0, order, sizes_), batch, left, right, sizes_);

        MatrixProductShape shape{values(batch),
                                 values(left),
                                 values(right),
                                 values(contracted),
                                 one.matrices,
                                 two.matrices,
                                 product};
        if (product.transposed) swap_factors(shape);
        check_lengths(shape);
        const StridedView out =
            add_step({shape,
                      shape.batch > 1 ? "batched matrix product" : "matrix product",
                      2.0 * double(shape.batch) * double(shape.m) * double(shape.n) * double(shape.k)},
                     one.view,
                     &two.view,
                     order);
        if (product.transposed) std::swap(plan_.steps.back().a, plan_.steps.back().b);
        return out;
    }

    // The transposed product is that of the transposed factors the other way round.
    static void swap_factors(MatrixProductShape& shape) {
        std::swap(shape.a, shape.b);
        std::swap(shape.m, shape.n);
        shape.a.transposed = !shape.a.transposed;
        shape.b.transposed = !shape.b.transposed;
        shape.c.transposed = false;
    }

    static void check_lengths(const MatrixProductShape& shape) {
        const std::int64_t longest = std::max(
            {shape.batch, shape.m, shape.n, shape.k, shape.a.leading, shape.b.leading, shape.c.leading});
        if (longest > std::numeric_limits<int>::max())
            throw InputError(Given{"subscripts"},
                             "a matrix product with an axis of {} values; at most "
                             "2^31 - 1 are allowed",
                             longest);
    }

    void finish(const StridedView& last) {
        const bool is_operand = std::size_t(last.tensor) < plan_.operands;
        if (is_operand || last.order() != result_order_) copy(last, result_order_);
    }

    const Contraction& contraction_;
    const Sizes& sizes_;
    Labels result_order_;
    std::vector<StridedView> views_;  // of the operands
    std::vector<Best> best_;          // by set of operands
    Plan plan_;
};

}  // namespace

double Plan::flops() const {
    double sum = 0;
    for (const PlanStep& step : steps) sum += step.flops;
    return sum;
}

double Plan::values_moved() const {
    double sum = 0;
    for (const PlanStep& step : steps) sum += step.values_moved;
    return sum;
}

Plan make_plan(const Contraction& contraction) {
    return Planner(contraction).plan();
}

}  // namespace stencil::einsum
