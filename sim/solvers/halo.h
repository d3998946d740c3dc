// Halo exchange of distributed fields (slabs: kernels/field/slab.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/cuda/profile_range.h"

namespace stencil {

class CudaStream;

/// A slab's array on the solver's device, beginning with its first (ghost) row.
struct HaloRows {
    void* data = nullptr;
    std::size_t row_bytes = 0;  ///< pitch in bytes
};

/// Exchanges halos with neighbouring slabs. Collective: all slabs call it at the same steps.
class HaloExchange {
  public:
    /// Messages and bytes sent by this slab so far.
    struct Traffic {
        long long messages = 0, bytes = 0;
    };

    virtual ~HaloExchange() = default;
    const Traffic& traffic() const { return traffic_; }
    /// Halo width in rows, the same for all slabs.
    virtual int depth() const = 0;
    /// Copies the neighbours' local rows into the halo of each array; on CUDA, enqueued on the stream.
    virtual void exchange(std::span<const HaloRows> arrays, CudaStream* stream) = 0;

  protected:
    void count_message(std::size_t bytes) {
        ++traffic_.messages;
        traffic_.bytes += static_cast<long long>(bytes);
    }

  private:
    Traffic traffic_;
};

/// Tracks the valid halo rows and exchanges when needed. `arrays()` returns the state's arrays as HaloRows,
/// which may move between calls but not change otherwise.
class HaloKeeper {
  public:
    /// Without an exchange the field is not distributed.
    HaloKeeper(HaloExchange* exchange, CudaStream* stream) : exchange_(exchange), stream_(stream) {}

    /// Marks the halo as invalid.
    void spoil() { good_ = 0; }

    template <class Arrays>
    void refresh(const Arrays& arrays) {
        if (!exchange_ || good_ == exchange_->depth()) return;
        const auto all = arrays();
        const ProfileRange range("halo exchange");
        exchange_->exchange(all, stream_);
        good_ = exchange_->depth();
    }

    /// Makes steps that each use up `reach` halo rows and read inputs whose outermost `margin` halo rows are
    /// invalid.
    template <class Advance, class Arrays>
    void advance(long long steps, int reach, int margin, const Advance& advance, const Arrays& arrays) {
        if (!exchange_) return advance(steps);
        const long long most = (exchange_->depth() - margin) / reach;
        while (steps > 0) {
            // Exchanges early enough never to split a fused pass, which would cost more than an exchange.
            const long long some = std::min(steps, most);
            if (good_ - margin < some * reach) refresh(arrays);
            advance(some);
            good_ -= int(some) * reach;
            steps -= some;
        }
    }

  private:
    HaloExchange* exchange_;
    CudaStream* stream_;
    int good_ = 0;  ///< valid rows
};

}  // namespace stencil
