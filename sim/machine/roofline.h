// The machine's measured limits: copy bandwidth and peak FMA rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kernels/methods/method.h"
#include "sim/field/field.h"
#include "sim/machine/median.h"

namespace stencil {

/// Measures a rate in pieces, so that other work can interleave, until the highest rate has not risen for a
/// while.
class RateMeasurement {
  public:
    /// Does a piece of work and returns its rate; empty if it only prepared the next.
    using Piece = std::function<std::optional<double>()>;

    /// done() after `quiet` pieces in a row without a faster one; work() does up to `at_a_time` pieces.
    RateMeasurement(Piece piece, std::size_t quiet, int at_a_time)
        : piece_(std::move(piece)), at_a_time_(at_a_time), rates_(quiet) {}

    void work();
    bool done() const { return rates_.done(); }

    /// 0 before the first piece. Use fastest() if other work ran at the same time.
    double median() const { return rates_.median(); }
    double fastest() const { return rates_.best(); }

  private:
    Piece piece_;
    int at_a_time_;
    BestOf rates_;
};

/// The part of the arrays that one timed copy covers: all of it, or a slice that takes a few milliseconds,
/// because other threads interrupt longer copies on the host.
enum class CopyPiece { whole, slice };

/// Measures GB/s (1e9 bytes) of reading plus writing: copies between two arrays several times larger than the
/// caches, or as large as free memory reasonably allows. This is the roofline of methods with one step per
/// pass. Throws CudaError and std::bad_alloc.
RateMeasurement copy_bandwidth(Device device, int threads, CopyPiece piece = CopyPiece::whole);
/// The same of copies that stay in a GPU's L2 cache of this size.
RateMeasurement l2_bandwidth(std::uint64_t l2_bytes);
/// The median of several copies. Takes up to a second.
double measure_copy_bandwidth(Device device, int threads);
/// The same for a device of this name (device_name()), measured once a month and kept in the user's cache
/// folder; empty if it is not kept there and not `measured`.
std::optional<double> kept_copy_bandwidth(Device device, int threads, const std::string& name, bool measured);
/// The bytes of device memory that measure_copy_bandwidth() allocates.
std::uint64_t bytes_to_measure_copies(Device device);

/// Copy bandwidth between two GPUs in GB/s, one way; 0 without peer access. Initialises both. Throws
/// CudaError.
double measure_link_bandwidth(int from, int to);

/// Instructions issued and the time they took.
struct IssuedPiece {
    double instructions = 0;
    double seconds = 0;
};
/// Issues `rounds` >= 1 rounds of instructions.
using Issue = std::function<IssuedPiece(std::int64_t rounds)>;

/// Measures instructions per second, counted per lane (one on a 16-wide vector counts 16): independent FMAs
/// on the whole device, in pieces of about two milliseconds, short enough that some run undisturbed. Throws
/// CudaError.
RateMeasurement issue_rate(Device device, DType dtype, int threads);
RateMeasurement issue_rate(Issue issue);
/// The median of several pieces.
double measure_issue_rate(Device device, DType dtype, int threads);

}  // namespace stencil
