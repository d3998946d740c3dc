// Clock, power and energy of a GPU from NVML, the driver's management library, which the first call loads.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

/// One reading; an entry that the GPU does not report is 0.
struct GpuReading {
    double clock_mhz = 0;   ///< of the multiprocessors
    double joules = 0;      ///< drawn since the driver was loaded; Volta or newer
    std::string throttled;  ///< why the clock is lowered, such as "power limit"; empty if it is not
};

/// Why NVML cannot be used, one clause; empty if it can.
const std::string& why_no_nvml();

/// Takes microseconds to a millisecond. Empty without NVML, or if it does not know the GPU.
std::optional<GpuReading> read_gpu(const CudaDevice& device);

/// The reasons, in words, that nvmlDeviceGetCurrentClocksThrottleReasons gives as bits.
std::string throttle_text(unsigned long long reasons);

/// Clock and energy over timed work. Its times are those of the work: what passes between two pieces of work
/// does not count.
class PowerMeter {
  public:
    explicit PowerMeter(std::optional<CudaDevice> device) : device_(std::move(device)) {}

    void start();               ///< before a piece of work
    void stop(double seconds);  ///< after it: `seconds` is what the work took

    struct Use {
        double clock_mhz = 0;  ///< median over the pieces
        double watts = 0;      ///< mean over the work
        double joules = 0;
        std::string throttled;  ///< during any piece
    };
    /// Empty if less than `kLeastSeconds` was measured: the counter of energy is renewed some ten times a
    /// second.
    std::optional<Use> use() const;
    static constexpr double kLeastSeconds = 0.5;
    bool wants_more() const { return !clocks_.empty() && seconds_ < kLeastSeconds; }

  private:
    std::optional<CudaDevice> device_;
    std::optional<GpuReading> before_;
    double seconds_ = 0, joules_ = 0;
    std::vector<double> clocks_;
    std::string throttled_;
};

}  // namespace stencil
