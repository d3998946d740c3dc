// What keeps the halo of a part of a field good (kernels/field/slab.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace stencil {

class CudaStream;

/// An array of a part's rows where its solver keeps it: row 0, on the solver's device.
struct HaloRows {
    void* data = nullptr;
    std::size_t row_bytes = 0;  ///< from row to row
};

/// What a part gets from those beside it. All parts of a field call it at the same steps.
class HaloExchange {
  public:
    /// Of what this part gave so far.
    struct Traffic {
        long long messages = 0, bytes = 0;
    };

    virtual ~HaloExchange() = default;
    const Traffic& traffic() const { return traffic_; }
    /// Rows of a halo, the same on all sides of all parts.
    virtual int depth() const = 0;
    /// Copies the neighbours' own rows into the halo of each array. On CUDA it is enqueued on the stream.
    virtual void exchange(std::span<const HaloRows> arrays, CudaStream* stream) = 0;

  protected:
    void count_message(std::size_t bytes) {
        ++traffic_.messages;
        traffic_.bytes += static_cast<long long>(bytes);
    }

  private:
    Traffic traffic_;
};

/// Says when. `arrays()` gives what a solver steps, as HaloRows that are the same at every call but for where
/// they are.
class HaloKeeper {
  public:
    /// Without an exchange the field is whole.
    HaloKeeper(HaloExchange* exchange, CudaStream* stream) : exchange_(exchange), stream_(stream) {}

    /// The halo is not what the neighbours have.
    void spoil() { good_ = 0; }

    template <class Arrays>
    void refresh(const Arrays& arrays) {
        if (!exchange_ || good_ == exchange_->depth()) return;
        const auto all = arrays();
        exchange_->exchange(all, stream_);
        good_ = exchange_->depth();
    }

    /// Steps that each reach over `reach` rows, and read arrays of which the outermost `margin` rows of a
    /// halo are wrong.
    template <class Advance, class Arrays>
    void advance(long long steps, int reach, int margin, const Advance& advance, const Arrays& arrays) {
        if (!exchange_) return advance(steps);
        const long long most = (exchange_->depth() - margin) / reach;
        while (steps > 0) {
            // Sooner than it must be, so that no pass is cut in two: that takes longer than an exchange.
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
    int good_ = 0;  ///< rows
};

}  // namespace stencil
