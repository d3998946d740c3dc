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

    /// Of one array, where it can be done apart: what its neighbours get, which waits for none of them, and
    /// later what they gave. Rows of (depth, row_bytes) each, as they will be when the halo is taken; null
    /// where there is no neighbour.
    struct RimRows {
        const void *first = nullptr, *last = nullptr;
    };
    virtual void give(const RimRows& /*rows*/, CudaStream& /*stream*/) {}
    virtual void take(const HaloRows& /*array*/, CudaStream& /*stream*/) {}

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
    void spoil() {
        good_ = 0;
        if (given_ == Given::rows) given_ = Given::stale;
    }

    template <class Arrays>
    void refresh(const Arrays& arrays) {
        if (!exchange_ || good_ == exchange_->depth()) return;
        const auto all = arrays();
        // Stale ones too: a neighbour has room for two exchanges.
        if (given_ != Given::nothing) exchange_->take(all[0], *stream_);
        if (given_ != Given::rows) exchange_->exchange(all, stream_);
        given_ = Given::nothing;
        good_ = exchange_->depth();
    }

    /// Steps that each reach over `reach` rows, and read arrays of which the outermost `margin` rows of a
    /// halo are wrong. Before as many as a whole halo is good for, `give_ahead()` may give the neighbours
    /// what they will need after them, and says whether it did.
    template <class Advance, class Arrays, class GiveAhead>
    void advance(long long steps,
                 int reach,
                 int margin,
                 const Advance& advance,
                 const Arrays& arrays,
                 const GiveAhead& give_ahead) {
        if (!exchange_) return advance(steps);
        while (steps > 0) {
            if (good_ - margin < reach) refresh(arrays);
            const long long some = std::min<long long>(steps, (good_ - margin) / reach);
            if (some * reach == exchange_->depth() && give_ahead()) given_ = Given::rows;
            advance(some);
            good_ -= int(some) * reach;
            steps -= some;
        }
    }
    template <class Advance, class Arrays>
    void advance(long long steps, int reach, int margin, const Advance& steps_of, const Arrays& arrays) {
        advance(steps, reach, margin, steps_of, arrays, [] { return false; });
    }

  private:
    /// Ahead to the neighbours, and by them, and not yet taken.
    enum class Given { nothing, rows, stale };

    HaloExchange* exchange_;
    CudaStream* stream_;
    int good_ = 0;  ///< rows
    Given given_ = Given::nothing;
};

}  // namespace stencil
