// Measured copy bandwidth, the roofline of methods with one step per pass.
#pragma once

#include <memory>

#include "kernels/methods/method.h"
#include "sim/machine/best_of.h"

namespace stencil {

class CopyArrays;

/// Copies between two arrays several times larger than the caches, or as large as free memory reasonably
/// allows, in steps of tens of milliseconds so that other work can interleave.
class CopyBandwidth {
  public:
    /// The extent of one timed copy: the whole arrays; or on the host, where other threads interrupt, a slice
    /// of a few milliseconds.
    enum class Piece { whole, slice };

    /// Allocates the arrays. Throws CudaError and std::bad_alloc.
    CopyBandwidth(Device device, int threads, Piece piece = Piece::whole);
    ~CopyBandwidth();

    /// First touches part of the arrays, then makes some copies.
    void work();
    /// Whether the fastest copy has stood for a while.
    bool done() const { return rates_.done(); }

    /// GB/s (1e9 bytes) of reading plus writing; 0 before the first copy. Use fastest() if other work ran at
    /// the same time.
    double median() const { return rates_.median(); }
    double fastest() const { return rates_.best(); }

  private:
    std::unique_ptr<CopyArrays> arrays_;
    bool touched_ = false;
    int pieces_at_a_time_;
    BestOf rates_;  ///< in GB/s
};

/// The median of several copies in GB/s. Takes up to a second.
double measure_copy_bandwidth(Device device, int threads);

/// Copy bandwidth between two GPUs in GB/s, one way; 0 without peer access. Initialises both. Throws
/// CudaError.
double measure_link_bandwidth(int from, int to);

}  // namespace stencil
