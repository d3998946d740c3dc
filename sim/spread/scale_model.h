// What a pass of the method `streaming` takes on one of several H200s: a model fitted to measured figures, by
// which measured efficiencies are judged and those of more GPUs than there are here are foretold.
#pragma once

#include "kernels/field/divide.h"
#include "kernels/methods/steppers.h"
#include "kernels/methods/streaming/streaming_plan.h"

namespace stencil {

/// Fitted to `bench --method streaming` from 1000^2 to 16384^2 on an H200, all within 3 %; exchanges are of
/// two H200s joined by NVLink, 512 KiB to 8 MiB. Between hosts one port of InfiniBand NDR a GPU is assumed.
struct ScaleModel {
    int nx = 0;  ///< columns, float32
    int gpus_of_host = 8;

    static constexpr double kLaunch = 8e-6, kRow = 0.357e-6;  ///< seconds: of a pass, of a row of blocks
    static constexpr int kFill = 48;                          ///< rows that a segment makes beside its own
    static constexpr int kBlocks = 264;                       ///< at a time
    static constexpr int kWidth = 576;                        ///< columns of a block
    static constexpr double kPeerLatency = 2.3e-6, kPeerRate = 377e9, kCopyRate = 2e12;  ///< bytes a second
    static constexpr double kNetworkLatency = 25e-6, kNetworkRate = 48e9;

    /// Of kStreamingSteps steps of so many rows.
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

    /// Of a part with neighbours on both sides: two messages given and taken, one after the other.
    double exchange_seconds(int gpus) const {
        if (gpus == 1) return 0;
        const double bytes = 4.0 * kStreamingSteps * nx;
        const double here = kPeerLatency + bytes / kPeerRate;
        const double there = gpus > gpus_of_host ? kNetworkLatency + bytes / kNetworkRate : here;
        return here + there + 2 * bytes / kCopyRate;
    }

    /// Of the whole field's rows, shared evenly, halos included.
    double seconds(int rows, int gpus) const {
        const int halo = gpus == 1 ? 0 : gpus == 2 ? kStreamingSteps : 2 * kStreamingSteps;
        return pass_seconds(ceil_div(rows, gpus) + halo) + exchange_seconds(gpus);
    }

    /// Cells a second of all, per GPU, against one GPU with the whole field (strong), or with its share.
    double strong_efficiency(int rows, int gpus) const {
        return seconds(rows, 1) / (gpus * seconds(rows, gpus));
    }
    double weak_efficiency(int rows_each, int gpus) const {
        return seconds(rows_each, 1) / seconds(rows_each * gpus, gpus);
    }
};

}  // namespace stencil
