// The bins of a histogram.
#pragma once

#include "kernels/field/host_device.h"

namespace stencil {

inline constexpr int kMaxBins = 1024;

/// `count` (1 to kMaxBins) equal parts of [low, high], the last one closed; low < high.
struct HistogramBins {
    static constexpr int kMost = kMaxBins;
    double low = 0;
    double high = 1;
    int count = 1;

    /// The bin of a finite value; -1 outside.
    STENCIL_HOST_DEVICE constexpr int bin_of(double value) const {
        if (!(value >= low && value <= high)) return -1;
        const int bin = int((value - low) * (count / (high - low)));
        return bin < count ? bin : count - 1;
    }
};

}  // namespace stencil
