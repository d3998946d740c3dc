// The rows beside a part's cuts, stepped before all others: the neighbours get what they need while the rest
// is still being stepped.
#pragma once

#include <memory>

#include "kernels/field/cuda_field.h"
#include "kernels/methods/method.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// Steps a copy of what the outermost `depth` own rows depend on: for each cut the halo and twice as many own
/// rows, those of both cuts one upon the other. What goes wrong at their edges stays `depth` rows away from
/// them.
template <class T>
class CudaRim {
  public:
    /// Null where a part is whole, or has too few rows.
    static std::unique_ptr<CudaRim> of(const SolverSetup& setup) {
        if (!setup.halo || setup.own_rows() < 2 * setup.halo->depth()) return nullptr;
        return std::make_unique<CudaRim>(setup);
    }

    explicit CudaRim(const SolverSetup& setup)
        : depth_(setup.halo->depth()),
          above_(setup.slab.above > 0),
          below_(setup.slab.below > 0),
          rows_(3 * depth_ * (int(above_) + int(below_))),
          front_(cuda_field_bytes<T>(setup.nx, rows_)),
          back_(cuda_field_bytes<T>(setup.nx, rows_)),
          stepper_(make_stepper<T>(*setup.method, {nullptr, &stream_}, {setup.nx, rows_})) {
        fields_.front = cuda_view<T>(front_, setup.nx, rows_);
        fields_.back = cuda_view<T>(back_, setup.nx, rows_);
    }

    /// Enqueues `depth` steps of these rows, which `now` goes on from with the numbers of `stepper`, and the
    /// giving. `stream` is where the whole is stepped, before and after.
    void give(FieldView<T> now,
              const Stepper<T>& stepper,
              const DiffusionParams& params,
              CudaStream& stream,
              HaloExchange& halo) {
        stream.follow(stream_);  // which reads what the pass after the next one overwrites
        stream_.follow(stream);
        const int each = 3 * depth_;
        if (above_) copy_rows(now, 0, 0);
        if (below_) copy_rows(now, now.ny - each, rows_ - each);
        stepper_->resume(stepper.numbers());
        stepper_->advance(fields_, params, depth_);
        halo.give({above_ ? fields_.front.row(depth_) : nullptr,
                   below_ ? fields_.front.row(rows_ - 2 * depth_) : nullptr},
                  stream_);
    }

  private:
    void copy_rows(FieldView<T> from, int first, int to) {
        const std::size_t bytes = std::size_t(from.pitch) * std::size_t(3 * depth_) * sizeof(T);
        copy_on_device(fields_.front.row(to), from.row(first), bytes, stream_);
    }

    int depth_;
    bool above_, below_;
    int rows_;
    CudaStream stream_{default_cuda_device(), true};
    CudaMemory front_, back_;
    FieldPair<T> fields_;
    std::unique_ptr<Stepper<T>> stepper_;
};

}  // namespace stencil
