#include "kernels/equation/text/operation_text.h"

#include <bit>
#include <cstdarg>
#include <cstdio>

namespace stencil::equation {
namespace {

constexpr const char* kFloat32 = R"(typedef float Real;
typedef int Bits;
#define kMantissa 23
#define kBias 127
#define kLeast 1.17549435e-38f
#define fma_rn __fmaf_rn
#define sqrt_rn __fsqrt_rn
#define divide_rn __fdiv_rn
#define floor_of floorf
#define kSign (int)0x80000000u
#define to_bits __float_as_int
#define from_bits __int_as_float
#define uniform_of(a, b) ((Real)((a) >> 8) * 5.9604644775390625e-08f)
)";
constexpr const char* kFloat64 = R"(typedef double Real;
typedef long long Bits;
#define kMantissa 52
#define kBias 1023
#define kLeast 2.2250738585072014e-308
#define fma_rn __fma_rn
#define sqrt_rn __dsqrt_rn
#define divide_rn __ddiv_rn
#define floor_of floor
#define kSign (long long)0x8000000000000000ULL
#define to_bits __double_as_longlong
#define from_bits __longlong_as_double
#define uniform_of(a, b) ((Real)(((unsigned long long)(a) << 21) ^ ((b) >> 11)) * 1.1102230246251565e-16)
)";

// These must match random.h and scalar_machine.h. Exponents are converted as 32-bit integers, for
// which every processor has vector instructions.
constexpr const char* kCudaFunctions = R"(
#define real_of (Real)
__device__ __forceinline__ Real negated(Real a) { return from_bits(to_bits(a) ^ kSign); }
__device__ __forceinline__ Real magnitude(Real a) { return from_bits(to_bits(a) & ~kSign); }
__device__ __forceinline__ Real two_to(Real n) { return from_bits(((Bits)(int)n + kBias) << kMantissa); }
__device__ __forceinline__ Real scaled(Real a, Real n) {
    const Real least = 2 - 2 * kBias, most = 2 * kBias;
    const Real above = n > least ? n : least;
    const Real whole = above < most ? above : most;
    const Real half = floor_of(whole * (Real)0.5);
    return a * two_to(half) * two_to(whole - half);
}
__device__ __forceinline__ Real normal_of(Real a) { return a < kLeast ? a * (Real)(1LL << kMantissa) : a; }
__device__ __forceinline__ Real exponent_of(Real a) {
    return (Real)(int)((to_bits(normal_of(a)) >> kMantissa) - kBias) - (a < kLeast ? (Real)kMantissa : (Real)0);
}
__device__ __forceinline__ Real significand_of(Real a) {
    return from_bits((to_bits(normal_of(a)) & (((Bits)1 << kMantissa) - 1)) | to_bits((Real)1));
}
#define field_row(r, y) row_around((r).first_row + (y), (r).field_rows)
__device__ __forceinline__ int row_around(int row, int rows) {
    return row < 0 ? row + rows : row >= rows ? row - rows : row;
}
__device__ __forceinline__ Real random_cell(unsigned long long seed, long long step, int stream, int x, int y) {
    unsigned c0 = x, c1 = y, c2 = (unsigned)step;
    unsigned c3 = (unsigned)stream ^ (unsigned)((unsigned long long)step >> 32) << 16;
    unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const unsigned long long p = 0xD2511F53ULL * c0, q = 0xCD9E8D57ULL * c2;
        c0 = (unsigned)(q >> 32) ^ c1 ^ k0;
        c1 = (unsigned)q;
        c2 = (unsigned)(p >> 32) ^ c3 ^ k1;
        c3 = (unsigned)p;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
    return uniform_of(c0, c1);
}
)";

// In a fast program `scaled` and `exponent_of` take numbers that are no integers.
constexpr const char* kFastFunctions = R"(
#define negated(a) (-(a))
)";
constexpr const char* kFastFloat32 = R"(#undef divide_rn
#undef sqrt_rn
#define divide_rn __fdividef
#define sqrt_rn sqrtf
#define magnitude fabsf
#define scaled(a, n) ((a) * exp2f(n))
#define exponent_of __log2f
)";

}  // namespace

const char* cuda_precision(bool float64) {
    return float64 ? kFloat64 : kFloat32;
}

std::string cuda_functions(bool float64, bool fast) {
    std::string text = kCudaFunctions;
    if (fast) text += kFastFunctions;
    if (fast && !float64) text += kFastFloat32;
    return text;
}

std::string constant_text(double number, bool float64) {
    std::string text;
    if (float64)
        append(text,
               "from_bits(0x%llxLL)",
               static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(number)));
    else
        append(text, "from_bits(0x%x)", std::bit_cast<std::uint32_t>(float(number)));
    return text;
}

void define(std::string& text, const char* name, int value) {
    append(text, "constexpr int %s = %d;\n", name, value);
}

void append(std::string& text, const char* form, ...) {
    va_list arguments, again;
    va_start(arguments, form);
    va_copy(again, arguments);
    const std::size_t before = text.size();
    text.resize(before + std::size_t(std::vsnprintf(nullptr, 0, form, arguments)) + 1);
    std::vsnprintf(text.data() + before, text.size() - before, form, again);
    va_end(again);
    va_end(arguments);
    text.pop_back();  // the terminating zero
}

}  // namespace stencil::equation
