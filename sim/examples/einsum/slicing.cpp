#include "sim/examples/einsum/slicing.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/field/divide.h"
#include "sim/text/error.h"

namespace stencil::einsum {
namespace {

bool has(const std::vector<int>& labels, int label) {
    return std::ranges::find(labels, label) != labels.end();
}

}  // namespace

Slicing::Slicing(const Contraction& contraction,
                 std::vector<SlicedLabel> labels,
                 std::size_t value_bytes,
                 const StepBytes& extra)
    : contraction_(contraction), labels_(std::move(labels)) {
    const auto is_output = [&](const SlicedLabel& sliced) { return has(contraction_.output, sliced.label); };
    std::ranges::stable_partition(labels_, is_output);
    adds_parts_ = !labels_.empty() && !is_output(labels_.back());
    // The last slice of a label may be shorter, so there are plans for all combinations of both.
    for (unsigned bits = 0; bits < 1u << labels_.size(); ++bits) {
        std::vector<bool> rest(labels_.size());
        for (std::size_t i = 0; i < labels_.size(); ++i) rest[i] = bits >> i & 1;
        Contraction part = contraction_;
        part.sizes = lengths_of(rest);
        if (std::ranges::count(part.sizes, -1) > 0 || plans_.contains(part.sizes)) continue;
        for (std::size_t i = 0; i < part.shapes.size(); ++i) part.shapes[i] = shape_of(i, part.sizes);
        plans_.emplace(part.sizes, make_plan(part));
    }
    make_layout(value_bytes, extra);
}

// Of a whole piece, or, for labels in `rest`, of what is left over at the end: -1 where nothing is.
std::vector<std::int64_t> Slicing::lengths_of(const std::vector<bool>& rest) const {
    std::vector<std::int64_t> lengths = contraction_.sizes;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
        std::int64_t& length = lengths[std::size_t(labels_[i].label)];
        const std::int64_t left = length % labels_[i].length;
        length = !rest[i] ? labels_[i].length : left > 0 ? left : -1;
    }
    return lengths;
}

Contraction::Shape Slicing::shape_of(std::size_t operand, const std::vector<std::int64_t>& lengths) const {
    Contraction::Shape shape = contraction_.shapes[operand];
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1) shape[axis] = lengths[std::size_t(contraction_.operands[operand][axis])];
    return shape;
}

bool Slicing::is_sliced(std::size_t operand) const {
    return std::ranges::any_of(labels_, [&](const SlicedLabel& sliced) {
        const auto& labels = contraction_.operands[operand];
        for (std::size_t axis = 0; axis < labels.size(); ++axis)
            if (labels[axis] == sliced.label && contraction_.shapes[operand][axis] != 1) return true;
        return false;
    });
}

void Slicing::make_layout(std::size_t value_bytes, const StepBytes& extra) {
    const auto take = [&](std::size_t bytes) {
        const std::size_t place = layout_.bytes;
        layout_.bytes += round_up(bytes, SliceLayout::kBoundary);
        return place;
    };
    const auto lengths = lengths_of(std::vector<bool>(labels_.size()));
    for (std::size_t i = 0; i < contraction_.shapes.size(); ++i) {
        const std::size_t bytes = std::size_t(product_of(shape_of(i, lengths))) * value_bytes;
        layout_.operands[0].push_back(take(bytes));
        layout_.operands[1].push_back(is_sliced(i) ? take(bytes) : layout_.operands[0].back());
    }
    std::int64_t scratch = 0;
    std::size_t most = 0;
    for (const auto& [sizes, plan] : plans_) {
        scratch = std::max(scratch, plan.scratch_values);
        most = std::max(most, extra(plan));
    }
    Contraction::Shape shape;
    for (const int label : contraction_.output) shape.push_back(lengths[std::size_t(label)]);
    const std::size_t result = std::size_t(product_of(shape)) * value_bytes;
    layout_.result = take(result);
    layout_.part = adds_parts_ ? take(result) : layout_.result;
    layout_.scratch = take(std::size_t(scratch) * value_bytes);
    layout_.extra = take(most);
}

std::int64_t Slicing::pieces() const {
    std::int64_t count = 1;
    for (const SlicedLabel& sliced : labels_) {
        const std::int64_t size = contraction_.sizes[std::size_t(sliced.label)];
        count *= ceil_div(size, sliced.length);
    }
    return count;
}

void Slicing::for_pieces(const std::function<void(const Piece&)>& work) const {
    Piece piece;
    piece.begin.assign(contraction_.sizes.size(), 0);
    std::vector<std::int64_t> before;
    for (;;) {
        piece.lengths = contraction_.sizes;
        piece.first_part = piece.last_part = true;
        for (const SlicedLabel& sliced : labels_) {
            const auto l = std::size_t(sliced.label);
            piece.lengths[l] = std::min(sliced.length, contraction_.sizes[l] - piece.begin[l]);
            if (has(contraction_.output, sliced.label)) continue;
            piece.first_part = piece.first_part && piece.begin[l] == 0;
            piece.last_part = piece.last_part && piece.begin[l] + piece.lengths[l] == contraction_.sizes[l];
        }
        piece.changed.clear();
        for (std::size_t i = 0; i < contraction_.shapes.size(); ++i) {
            bool changed = before.empty();
            for (std::size_t axis = 0; !changed && axis < contraction_.operands[i].size(); ++axis) {
                const auto l = std::size_t(contraction_.operands[i][axis]);
                changed = contraction_.shapes[i][axis] != 1 && piece.begin[l] != before[l];
            }
            piece.changed.push_back(changed);
        }
        work(piece);
        before = piece.begin;
        // The last label runs fastest.
        std::size_t i = labels_.size();
        for (; i > 0; --i) {
            const auto l = std::size_t(labels_[i - 1].label);
            piece.begin[l] += labels_[i - 1].length;
            if (piece.begin[l] < contraction_.sizes[l]) break;
            piece.begin[l] = 0;
        }
        if (i == 0) return;
    }
}

const Plan& Slicing::plan(const Piece& piece) const {
    return plans_.at(piece.lengths);
}

bool Slicing::any_plan(const std::function<bool(const Plan&)>& is_so) const {
    return std::ranges::any_of(plans_, [&](const auto& entry) { return is_so(entry.second); });
}

ArrayBox Slicing::operand_box(std::size_t operand, const Piece& piece) const {
    const Contraction::Shape& shape = contraction_.shapes[operand];
    Contraction::Shape begin(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1) begin[axis] = piece.begin[std::size_t(contraction_.operands[operand][axis])];
    return {shape, begin, shape_of(operand, piece.lengths)};
}

ArrayBox Slicing::result_box(const Piece& piece) const {
    Contraction::Shape begin, lengths;
    for (const int label : contraction_.output) {
        begin.push_back(piece.begin[std::size_t(label)]);
        lengths.push_back(piece.lengths[std::size_t(label)]);
    }
    return {contraction_.output_shape(), begin, lengths};
}

Slicing choose_slicing(const Contraction& contraction,
                       std::size_t value_bytes,
                       double budget,
                       const StepBytes& extra) {
    // There are plans for 2^labels lengths.
    constexpr std::size_t kMaxLabels = 3;
    Slicing best(contraction, {}, value_bytes, extra);
    double least = best.bytes();
    while (best.bytes() > budget) {
        std::optional<Slicing> better;
        for (int label = 0; label < int(contraction.sizes.size()); ++label) {
            std::vector<SlicedLabel> labels = best.labels();
            auto known = std::ranges::find(labels, label, &SlicedLabel::label);
            // What is cut for the first time is there twice from then on: a half of it would save nothing.
            std::int64_t parts = 2;
            if (known == labels.end()) {
                if (labels.size() == kMaxLabels) continue;
                labels.push_back({label, contraction.sizes[std::size_t(label)]});
                known = labels.end() - 1;
                parts = 4;
            }
            if (known->length < 2) continue;
            known->length = ceil_div(known->length, parts);
            Slicing one(contraction, labels, value_bytes, extra);
            if (!better || one.bytes() < better->bytes()) better.emplace(std::move(one));
        }
        if (!better)
            throw MachineError(
                fmt::format("einsum: in the smallest pieces it needs {:.0f} bytes of GPU memory; {:.0f} are "
                            "free or allowed",
                            least,
                            budget));
        best = std::move(*better);
        least = std::min(least, best.bytes());
    }
    return best;
}

}  // namespace stencil::einsum
