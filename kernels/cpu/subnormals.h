// Numbers too small for a normal exponent, which processors take many times as long to compute with.
#pragma once

#include <cstdint>

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace stencil {

/// While it lives this thread takes subnormal numbers for zeros, as operands and as results, in either
/// precision: as CUDA does for float32 under --ftz=true. Around every feature that diffuses into an empty
/// region there is a halo of such numbers, on which processors take over a hundred cycles for each operation;
/// as parts of a field they are 30 orders of magnitude below its rounding.
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
    static constexpr Control kFlush = 0x8040;  // flush to zero, subnormals are zeros
    static Control control() {
        return _mm_getcsr();
    }
    static void set_control(Control control) {
        _mm_setcsr(control);
    }
#elif defined(__aarch64__)
    using Control = std::uint64_t;
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
