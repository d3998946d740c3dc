// Memory in use and free, asked for a few times per second.
#pragma once

#include <chrono>

#include "sim/machine/machine.h"

namespace stencil {

struct MemoryUse {
    double gpu_used = 0, gpu_total = 0, gpu_free = 0;  ///< bytes, of all processes; 0 without a GPU
    double host_used = 0;                              ///< bytes, of this program
    double host_total = 0, host_free = 0;
};

class MemoryWatch {
  public:
    const MemoryUse& look(const Machine& machine);
    /// The next look() queries anew.
    void expire() { at_ = {}; }

  private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point at_{};
    MemoryUse use_;
};

}  // namespace stencil
