// Flushes subnormal numbers to zero.
#pragma once

#include <cstdint>

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace stencil {

/// While it lives, this thread flushes subnormals to zero (operands and results), like CUDA's --ftz=true.
/// Features that diffuse into an empty region are surrounded by subnormals, on which an operation takes over
/// a hundred cycles; they are 30 orders of magnitude below the field's rounding.
class SubnormalsAsZero {
  public:
    explicit SubnormalsAsZero(bool on = true) : before_(control()) {
        if (on) set_control(before_ | kFlush);
    }
    ~SubnormalsAsZero() { set_control(before_); }
    SubnormalsAsZero(const SubnormalsAsZero&) = delete;
    SubnormalsAsZero& operator=(const SubnormalsAsZero&) = delete;

  private:
#if defined(__SSE__)
    using Control = unsigned;
    static constexpr Control kFlush = 0x8040;  // FTZ (flush to zero) and DAZ (denormals are zero)
    static Control control() {
        return _mm_getcsr();
    }
    static void set_control(Control control) {
        _mm_setcsr(control);
    }
#elif defined(__aarch64__)
    using Control = std::uint64_t;
    // FPCR.FZ
    static constexpr Control kFlush = 1 << 24;
    static Control control() {
        Control now;
        asm volatile("mrs %0, fpcr" : "=r"(now));
        return now;
    }
    static void set_control(Control control) {
        asm volatile("msr fpcr, %0" : : "r"(control));
    }
#else
    using Control = unsigned;
    static constexpr Control kFlush = 0;
    static Control control() {
        return 0;
    }
    static void set_control(Control) {}
#endif

    Control before_;
};

}  // namespace stencil
