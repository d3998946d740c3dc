// An einsum that does not fit in a device's memory, cut into pieces that do.
#pragma once

#include <functional>
#include <map>

#include "kernels/cpu/array_box.h"
#include "sim/examples/einsum/plan.h"

namespace stencil::einsum {

/// A label of which a piece has at most `length` values.
struct SlicedLabel {
    int label = 0;
    std::int64_t length = 0;
};

/// One piece of the work.
struct Piece {
    std::vector<std::int64_t> begin, lengths;  ///< by label
    bool first_part = true, last_part = true;  ///< of those that add up to one piece of the result
    std::vector<bool> changed;                 ///< by operand: it has another box than in the piece before
};

/// Bytes of device memory beside the operands, the intermediates and the result, for a plan's steps.
using StepBytes = std::function<std::size_t(const Plan&)>;

/// Where everything is in one block of device memory, in bytes.
struct SliceLayout {
    static constexpr std::size_t kBoundary = 256;

    std::vector<std::size_t> operands[2];  ///< sliced ones have two places in turn, others the same twice
    std::size_t result = 0, part = 0, scratch = 0, extra = 0, bytes = 0;
};

class Slicing {
  public:
    /// Not sliced at all where `labels` is empty. Labels of the output come first.
    Slicing(const Contraction& contraction,
            std::vector<SlicedLabel> labels,
            std::size_t value_bytes,
            const StepBytes& extra);

    const Contraction& contraction() const { return contraction_; }
    const std::vector<SlicedLabel>& labels() const { return labels_; }
    bool is_sliced() const { return !labels_.empty(); }
    /// A label that is summed is cut: parts of the result are added up.
    bool adds_parts() const { return adds_parts_; }
    bool is_sliced(std::size_t operand) const;
    double bytes() const { return double(layout_.bytes); }
    const SliceLayout& layout() const { return layout_; }
    std::int64_t pieces() const;

    /// Calls work for each piece, in order.
    void for_pieces(const std::function<void(const Piece&)>& work) const;
    const Plan& plan(const Piece& piece) const;
    bool any_plan(const std::function<bool(const Plan&)>& is_so) const;
    ArrayBox operand_box(std::size_t operand, const Piece& piece) const;
    ArrayBox result_box(const Piece& piece) const;

  private:
    std::vector<std::int64_t> lengths_of(const std::vector<bool>& rest) const;
    Contraction::Shape shape_of(std::size_t operand, const std::vector<std::int64_t>& lengths) const;
    void make_layout(std::size_t value_bytes, const StepBytes& extra);

    Contraction contraction_;
    std::vector<SlicedLabel> labels_;
    bool adds_parts_ = false;
    std::map<std::vector<std::int64_t>, Plan> plans_;  ///< by the labels' lengths
    SliceLayout layout_;
};

/// Cuts until it fits into `budget` bytes: again and again that label, in halves, which saves most. Throws
/// MachineError with the least that would do.
Slicing choose_slicing(const Contraction& contraction,
                       std::size_t value_bytes,
                       double budget,
                       const StepBytes& extra);

}  // namespace stencil::einsum
