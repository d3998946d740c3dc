// The machine's limit for one step per pass: how fast its memory copies.
#pragma once

#include <memory>

#include "kernels/methods/method.h"
#include "sim/machine/fastest.h"

namespace stencil {

class CopyArrays;

/// Copies between two arrays several times the size of the caches, or as large as free memory reasonably
/// allows, in pieces of work: tens of milliseconds each, so that others can go on in between.
class CopyBandwidth {
  public:
    /// What is copied between two looks at the clock: all of the arrays; or on the host, where drawing and
    /// others take the processors away now and then, a slice that is over in a few milliseconds.
    enum class Piece { whole, slice };

    /// Allocates. Throws CudaError and std::bad_alloc.
    CopyBandwidth(Device device, int threads, Piece piece = Piece::whole);
    ~CopyBandwidth();

    /// Touches a part of the arrays, or, once that is done, copies a piece, or some slices.
    void work();
    /// The fastest copy has not been surpassed for a while.
    bool done() const { return rates_.done(); }

    /// In GB/s (1e9 bytes), reading and writing both counted; 0 before the first copy. The fastest copy is
    /// the one to take where something else was at work beside it.
    double median() const { return rates_.median(); }
    double fastest() const { return rates_.best(); }

  private:
    std::unique_ptr<CopyArrays> arrays_;
    bool touched_ = false;
    int pieces_at_a_time_;
    Fastest rates_;  ///< in GB/s
};

/// The median of several copies, in GB/s. Takes up to about a second.
double measure_copy_bandwidth(Device device, int threads);

/// From a GPU's memory to another one's by the copy engines, in GB/s one way; 0 where it cannot reach it.
/// Opens both. Throws CudaError.
double measure_link_bandwidth(int from, int to);

}  // namespace stencil
