#include "kernels/cuda/nvml.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/cpu/late_library.h"

namespace stencil {
namespace {

using NvmlDevice = void*;
// Constants of nvml.h, which a build without the toolkit lacks.
constexpr int kRight = 0;
constexpr int kClockOfMultiprocessors = 1;

struct Nvml {
    LazyLibrary library{"libnvidia-ml.so.1", "clock and power of a GPU need NVML"};
    bool usable = library.why_none().empty() && call("nvmlInit_v2");

    // Returns whether the call succeeded. The arguments must have exactly the types of its parameters.
    template <class... Arguments>
    bool call(const char* name, Arguments... arguments) const try {
        return library.function<int (*)(Arguments...)>(name)(arguments...) == kRight;
    } catch (const MissingLibrary&) {  // an older driver without this function
        return false;
    }
};

const Nvml& nvml() {
    static const Nvml opened;
    return opened;
}

}  // namespace

const std::string& why_no_nvml() {
    static const std::string why = !nvml().library.why_none().empty() ? nvml().library.why_none()
                                   : nvml().usable                    ? ""
                                                                      : "NVML does not start";
    return why;
}

std::string throttle_text(unsigned long long reasons) {
    // Not listed: idle, clocks set by an application, and a clock that follows another GPU's.
    static constexpr std::array<std::pair<unsigned long long, const char*>, 5> kReasons{{
        {0x04, "power limit"},
        {0x08, "hardware slowdown"},
        {0x20, "temperature"},
        {0x40, "temperature (by hardware)"},
        {0x80, "power brake"},
    }};
    std::string text;
    for (const auto& [bit, name] : kReasons)
        if (reasons & bit) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

std::optional<GpuReading> read_gpu(const CudaDevice& device) {
    const Nvml& library = nvml();
    NvmlDevice gpu = nullptr;
    if (!library.usable || !library.call("nvmlDeviceGetHandleByPciBusId_v2", device.pci.c_str(), &gpu))
        return {};
    GpuReading reading;
    unsigned number = 0;
    unsigned long long wide = 0;
    if (library.call("nvmlDeviceGetClockInfo", gpu, kClockOfMultiprocessors, &number))
        reading.clock_mhz = number;
    if (library.call("nvmlDeviceGetTotalEnergyConsumption", gpu, &wide)) reading.joules = double(wide) * 1e-3;
    if (library.call("nvmlDeviceGetCurrentClocksThrottleReasons", gpu, &wide))
        reading.throttled = throttle_text(wide);
    return reading;
}

void PowerMeter::start() {
    if (device_) before_ = read_gpu(*device_);
}

void PowerMeter::stop(double seconds) {
    if (!before_) return;
    const std::optional<GpuReading> now = read_gpu(*device_);
    if (!now) return;
    seconds_ += seconds;
    joules_ += now->joules - before_->joules;
    clocks_.push_back(now->clock_mhz);
    if (throttled_.empty()) throttled_ = now->throttled;
}

std::optional<PowerMeter::Use> PowerMeter::use() const {
    if (seconds_ < kLeastSeconds || joules_ <= 0) return {};
    std::vector<double> clocks = clocks_;
    const auto middle = clocks.begin() + std::ptrdiff_t(clocks.size() / 2);
    std::ranges::nth_element(clocks, middle);
    return Use{*middle, joules_ / seconds_, joules_, throttled_};
}

}  // namespace stencil
