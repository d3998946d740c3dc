// Performance model of the method `streaming` on one or several H200s, fitted to measurements. It judges
// measured parallel efficiencies and predicts those for more GPUs.
#pragma once

#include "kernels/field/divide.h"
#include "kernels/methods/steppers.h"
#include "kernels/methods/streaming/streaming_plan.h"

namespace stencil {

/// Fitted to `bench --method streaming` from 1000^2 to 16384^2 on an H200, within 3 %, and to exchanges of
/// 512 KiB to 8 MiB between two H200s over NVLink. Between hosts it assumes one InfiniBand NDR port per GPU.
struct ScaleModel {
    int nx = 0;  ///< columns, float32
    int gpus_of_host = 8;

    static constexpr double kLaunch = 8e-6, kRow = 0.357e-6;  ///< seconds per pass and per row of blocks
    static constexpr int kFill = 48;                          ///< extra rows that a segment computes
    static constexpr int kBlocks = 264;                       ///< resident at a time
    static constexpr int kWidth = 576;                        ///< columns per block
    static constexpr double kPeerLatency = 2.3e-6, kPeerRate = 377e9,
                            kCopyRate = 2e12;  ///< seconds, bytes per second
    static constexpr double kNetworkLatency = 25e-6, kNetworkRate = 48e9;

    /// Time of kStreamingSteps steps on so many rows.
    double pass_seconds(int rows) const {
        const int strips = strips_over(nx, kWidth, kStreamingSteps, false).strips;
        double best = 1e300;
        for (int segments = 1; segments <= 8 * kBlocks / strips + 1; ++segments) {
            const int waves = ceil_div(strips * segments, kBlocks);
            const double seconds = kLaunch + kRow * waves * (ceil_div(rows, segments) + kFill);
            best = seconds < best ? seconds : best;
        }
        return best;
    }

    /// Exchange time of a slab with two neighbours: two messages sent and received in sequence.
    double exchange_seconds(int gpus) const {
        if (gpus == 1) return 0;
        const double bytes = 4.0 * kStreamingSteps * nx;
        const double here = kPeerLatency + bytes / kPeerRate;
        const double there = gpus > gpus_of_host ? kNetworkLatency + bytes / kNetworkRate : here;
        return here + there + 2 * bytes / kCopyRate;
    }

    /// Time of a pass over the whole field, shared evenly, halos included.
    double seconds(int rows, int gpus) const {
        const int halo = gpus == 1 ? 0 : gpus == 2 ? kStreamingSteps : 2 * kStreamingSteps;
        return pass_seconds(ceil_div(rows, gpus) + halo) + exchange_seconds(gpus);
    }

    /// Parallel efficiency (rate per GPU relative to one GPU) for a fixed field, and for a fixed share per
    /// GPU.
    double strong_efficiency(int rows, int gpus) const {
        return seconds(rows, 1) / (gpus * seconds(rows, gpus));
    }
    double weak_efficiency(int rows_each, int gpus) const {
        return seconds(rows_each, 1) / seconds(rows_each * gpus, gpus);
    }
};

}  // namespace stencil
