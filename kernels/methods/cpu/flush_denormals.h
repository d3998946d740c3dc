// Denormal numbers off for a while.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace stencil {

/// While it lives, this thread's results and operands below the smallest normal number count as zero. Around
/// every feature that diffuses into an empty region there is a halo of such numbers, and processors take over
/// a hundred cycles for each operation on them; as parts of a field they are 30 orders of magnitude below its
/// rounding.
class FlushDenormals {
  public:
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;
#if defined(__SSE2__)
    FlushDenormals() : old_(_mm_getcsr()) {
        _mm_setcsr(old_ | 0x8040);
    }  // flush-to-zero, denormals-are-zero
    ~FlushDenormals() {
        _mm_setcsr(old_);
    }

  private:
    unsigned old_;
#elif defined(__aarch64__)
    FlushDenormals() {
        asm volatile("mrs %0, fpcr" : "=r"(old_));
        asm volatile("msr fpcr, %0" : : "r"(old_ | (std::uint64_t(1) << 24)));
    }
    ~FlushDenormals() {
        asm volatile("msr fpcr, %0" : : "r"(old_));
    }

  private:
    std::uint64_t old_ = 0;
#else
    FlushDenormals() {}
#endif
};

}  // namespace stencil
