// Operators of a distributed field for which every GPU works on the whole field.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_field.h"
#include "kernels/equation/field_operator.h"
#include "kernels/methods/spectral/strip_exchange.h"

namespace stencil::equation {

/// Gathers the whole fields on every GPU, applies the single-process operator and keeps the local rows. For
/// 2D transforms: only a plan for the whole field has the bits of a single process.
template <class T>
class GatheredOperator : public FieldOperator<T> {
  public:
    /// `whole` is an operator on whole fields with this number of inputs and outputs. Throws CudaError.
    GatheredOperator(std::unique_ptr<FieldOperator<T>> whole,
                     FieldShape shape,
                     std::size_t inputs,
                     std::size_t outputs,
                     const ExecutionSpace& on)
        : whole_(std::move(whole)), on_(on) {
        for (std::size_t i = 0; i < inputs + outputs; ++i) {
            memory_.emplace_back(cuda_field_bytes<T>(shape.nx, shape.ny), on.stream->device());
            (i < inputs ? from_ : to_).push_back(cuda_view<T>(memory_.back(), shape.nx, shape.ny));
        }
    }

    void set(const std::vector<double>& values, double dt) override { whole_->set(values, dt); }

    void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) override {
        const Strips& rows = on_.strips->rows();
        for (std::size_t i = 0; i < from.size(); ++i) {
            const std::vector<ByteRows> own(std::size_t(rows.parts), bytes_of_cells(from[i]));
            on_.strips->exchange(own, cut_rows(from_[i], rows), on_);
        }
        whole_->apply(from_, to_);
        const int part = on_.strips->part();
        for (std::size_t i = 0; i < to.size(); ++i) {
            const ByteRows made = bytes_of_cells(to_[i].rows(rows.begin(part), rows.count(part))),
                           kept = bytes_of_cells(to[i]);
            copy_on_device({kept.data, kept.pitch, made.data, made.pitch, made.width, made.rows},
                           *on_.stream);
        }
    }

  private:
    std::unique_ptr<FieldOperator<T>> whole_;
    ExecutionSpace on_;
    std::vector<CudaMemory> memory_;
    std::vector<FieldView<T>> from_, to_;
};

}  // namespace stencil::equation
