// CUDA's words for a C++ compiler: what precedes a kernel that runs on the CPU. Only text for this program,
// which puts calls.h before it and passes the result to the compiler. -fsanitize=thread makes the compiler
// call
// __tsan_read4() and the like before each access of memory that threads may share; they are defined here.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-sra")  // keeps a float4 one access
#endif
#include <cmath>
#include <cstdint>
#include <type_traits>

#define STENCILSCOPE_PLAIN __attribute__((no_sanitize_thread))
#define STENCILSCOPE_SEEN extern "C" __attribute__((visibility("default")))

static StencilscopeCalls stencilscope;
static StencilscopeThread stencilscope_thread;
extern "C" __attribute__((visibility("hidden"))) char __ehdr_start[], _end[];
extern "C" __attribute__((visibility("hidden"), weak)) char __start_stencilscope_shared[],
    __stop_stencilscope_shared[];

STENCILSCOPE_SEEN STENCILSCOPE_PLAIN StencilscopeThread* stencilscope_begin(const StencilscopeCalls* calls,
                                                                            char** range) {
    stencilscope = *calls;
    range[0] = __ehdr_start, range[1] = _end;
    range[2] = __start_stencilscope_shared, range[3] = __stop_stencilscope_shared;
    return &stencilscope_thread;
}

#define STENCILSCOPE_ACCESS(name, bytes, writes)                                             \
    extern "C" STENCILSCOPE_PLAIN __attribute__((noinline, used)) void name(void* address) { \
        stencilscope.access(address, bytes, writes, false, __builtin_return_address(0));     \
    }
#define STENCILSCOPE_ACCESSES(bytes)                                \
    STENCILSCOPE_ACCESS(__tsan_read##bytes, bytes, false)           \
    STENCILSCOPE_ACCESS(__tsan_write##bytes, bytes, true)           \
    STENCILSCOPE_ACCESS(__tsan_volatile_read##bytes, bytes, false)  \
    STENCILSCOPE_ACCESS(__tsan_volatile_write##bytes, bytes, true)  \
    STENCILSCOPE_ACCESS(__tsan_unaligned_read##bytes, bytes, false) \
    STENCILSCOPE_ACCESS(__tsan_unaligned_write##bytes, bytes, true)
STENCILSCOPE_ACCESSES(1)
STENCILSCOPE_ACCESSES(2)
STENCILSCOPE_ACCESSES(4)
STENCILSCOPE_ACCESSES(8)
STENCILSCOPE_ACCESSES(16)
extern "C" STENCILSCOPE_PLAIN __attribute__((noinline, used)) void __tsan_read_range(void* address,
                                                                                     long bytes) {
    stencilscope.access(address, unsigned(bytes), false, false, __builtin_return_address(0));
}
extern "C" STENCILSCOPE_PLAIN __attribute__((noinline, used)) void __tsan_write_range(void* address,
                                                                                      long bytes) {
    stencilscope.access(address, unsigned(bytes), true, false, __builtin_return_address(0));
}
extern "C" STENCILSCOPE_PLAIN __attribute__((used)) void __tsan_init() {}
extern "C" STENCILSCOPE_PLAIN __attribute__((used)) void __tsan_func_entry(void*) {}
extern "C" STENCILSCOPE_PLAIN __attribute__((used)) void __tsan_func_exit(void*) {}

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("stencilscope_shared")))
#define printf __builtin_printf
#define assert(holds) ((holds) ? void() : stencilscope.stop(__LINE__, "an assert() in it does not hold"))
#define __CUDA_ARCH__ 900
#define __CUDACC__ 1

constexpr int warpSize = 32;

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};
struct StencilscopeIndex {
    unsigned x, y, z;
};
#define threadIdx (reinterpret_cast<const StencilscopeIndex&>(stencilscope_thread.thread))
#define blockIdx (reinterpret_cast<const StencilscopeIndex&>(stencilscope_thread.block))
#define blockDim (reinterpret_cast<const StencilscopeIndex&>(stencilscope_thread.block_size))
#define gridDim (reinterpret_cast<const StencilscopeIndex&>(stencilscope_thread.grid_size))

#define STENCILSCOPE_VECTORS(T, name)                             \
    struct alignas(2 * sizeof(T)) name##2 {                       \
        T x, y;                                                   \
    };                                                            \
    struct name##3 {                                              \
        T x, y, z;                                                \
    };                                                            \
    struct alignas(sizeof(T) == 8 ? 16 : 4 * sizeof(T)) name##4 { \
        T x, y, z, w;                                             \
    };                                                            \
    inline name##2 make_##name##2(T x, T y) {                     \
        return {x, y};                                            \
    }                                                             \
    inline name##3 make_##name##3(T x, T y, T z) {                \
        return {x, y, z};                                         \
    }                                                             \
    inline name##4 make_##name##4(T x, T y, T z, T w) {           \
        return {x, y, z, w};                                      \
    }
STENCILSCOPE_VECTORS(float, float)
STENCILSCOPE_VECTORS(double, double)
STENCILSCOPE_VECTORS(int, int)
STENCILSCOPE_VECTORS(unsigned, uint)
STENCILSCOPE_VECTORS(short, short)
STENCILSCOPE_VECTORS(signed char, char)
STENCILSCOPE_VECTORS(unsigned char, uchar)
STENCILSCOPE_VECTORS(long long, longlong)

template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
    return b < a ? b : a;
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
    return a < b ? b : a;
}
using std::abs;
using std::fabs;
using std::isfinite;
using std::isinf;
using std::isnan;
template <class T>
T rsqrt(T a) {
    return 1 / std::sqrt(a);
}
inline float rsqrtf(float a) {
    return 1 / std::sqrt(a);
}
inline float __expf(float a) {
    return std::exp(a);
}
inline float __logf(float a) {
    return std::log(a);
}
inline float __sinf(float a) {
    return std::sin(a);
}
inline float __cosf(float a) {
    return std::cos(a);
}
inline float __powf(float a, float b) {
    return std::pow(a, b);
}
inline float __fdividef(float a, float b) {
    return a / b;
}
inline float __fmaf_rn(float a, float b, float c) {
    return std::fma(a, b, c);
}
inline float __fadd_rn(float a, float b) {
    return a + b;
}
inline float __fsub_rn(float a, float b) {
    return a - b;
}
inline float __fmul_rn(float a, float b) {
    return a * b;
}
inline float __fdiv_rn(float a, float b) {
    return a / b;
}
inline double __fma_rn(double a, double b, double c) {
    return std::fma(a, b, c);
}
inline double __dadd_rn(double a, double b) {
    return a + b;
}
inline double __dsub_rn(double a, double b) {
    return a - b;
}
inline double __dmul_rn(double a, double b) {
    return a * b;
}
inline int __float_as_int(float a) {
    return __builtin_bit_cast(int, a);
}
inline unsigned __float_as_uint(float a) {
    return __builtin_bit_cast(unsigned, a);
}
inline float __int_as_float(int a) {
    return __builtin_bit_cast(float, a);
}
inline float __uint_as_float(unsigned a) {
    return __builtin_bit_cast(float, a);
}
inline int __popc(unsigned a) {
    return __builtin_popcount(a);
}
inline int __clz(int a) {
    return a ? __builtin_clz(unsigned(a)) : 32;
}
inline int __ffs(int a) {
    return __builtin_ffs(a);
}
inline int __mul24(int a, int b) {
    return a * b;
}

#define STENCILSCOPE_LOAD(name) \
    template <class T>          \
    T name(const T* from) {     \
        return *from;           \
    }
STENCILSCOPE_LOAD(__ldg)
STENCILSCOPE_LOAD(__ldca)
STENCILSCOPE_LOAD(__ldcg)
STENCILSCOPE_LOAD(__ldcs)
STENCILSCOPE_LOAD(__ldcv)
#define STENCILSCOPE_STORE(name) \
    template <class T>           \
    void name(T* to, T value) {  \
        *to = value;             \
    }
STENCILSCOPE_STORE(__stcg)
STENCILSCOPE_STORE(__stcs)
STENCILSCOPE_STORE(__stwb)
STENCILSCOPE_STORE(__stwt)

template <class T>
struct StencilscopeSame {
    using Type = T;
};
template <class T>
using StencilscopeOf = typename StencilscopeSame<T>::Type;  // not deduced: atomicAdd(&unsigned, 1)
#define STENCILSCOPE_ATOMIC(name, result)                                                 \
    template <class T>                                                                    \
    STENCILSCOPE_PLAIN __attribute__((noinline)) T name(T* to, StencilscopeOf<T> value) { \
        stencilscope.access(to, sizeof(T), true, true, __builtin_return_address(0));      \
        const T old = *to;                                                                \
        *to = result;                                                                     \
        return old;                                                                       \
    }
STENCILSCOPE_ATOMIC(atomicAdd, T(old + value))
STENCILSCOPE_ATOMIC(atomicSub, T(old - value))
STENCILSCOPE_ATOMIC(atomicMin, old < value ? old : value)
STENCILSCOPE_ATOMIC(atomicMax, old < value ? value : old)
STENCILSCOPE_ATOMIC(atomicExch, value)
STENCILSCOPE_ATOMIC(atomicAnd, T(old& value))
STENCILSCOPE_ATOMIC(atomicOr, T(old | value))
STENCILSCOPE_ATOMIC(atomicXor, T(old ^ value))
template <class T>
STENCILSCOPE_PLAIN __attribute__((noinline)) T atomicCAS(T* to,
                                                         StencilscopeOf<T> expected,
                                                         StencilscopeOf<T> value) {
    stencilscope.access(to, sizeof(T), true, true, __builtin_return_address(0));
    const T old = *to;
    if (old == expected) *to = value;
    return old;
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __nanosleep(unsigned) {}
inline long long clock64() {
    return 0;
}
inline void __trap(int line = __builtin_LINE()) {
    stencilscope.stop(line, "it was ended by a __trap()");
}

inline void __syncthreads(int line = __builtin_LINE()) {
    stencilscope.barrier(line, false);
}
inline int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
    return stencilscope.barrier(line, predicate != 0);
}
inline int __syncthreads_or(int predicate, int line = __builtin_LINE()) {
    return stencilscope.barrier(line, predicate != 0) > 0;
}
inline int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
    return stencilscope.barrier(line, predicate == 0) == 0;
}

STENCILSCOPE_PLAIN inline int stencilscope_lane() {
    const auto& t = stencilscope_thread;
    return int((t.thread[0] + t.block_size[0] * (t.thread[1] + t.block_size[1] * t.thread[2])) % 32);
}
// A lane that gave no value leaves one that is not a number.
template <class T>
STENCILSCOPE_PLAIN T stencilscope_shuffle(unsigned mask, T value, int lane, int line) {
    T values[32];
    __builtin_memset(values, 0xff, sizeof values);
    stencilscope.exchange(line, mask, &value, sizeof(T), values);
    return values[lane];
}
inline void __syncwarp(unsigned mask = 0xffffffff, int line = __builtin_LINE()) {
    stencilscope.exchange(line, mask, nullptr, 0, nullptr);
}
template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32, int line = __builtin_LINE()) {
    const int lane = stencilscope_lane();
    return stencilscope_shuffle(mask, value, lane / width * width + (from & (width - 1)), line);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
    const int lane = stencilscope_lane(), from = lane - int(delta);
    return stencilscope_shuffle(mask, value, from < lane / width * width ? lane : from, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
    const int lane = stencilscope_lane(), from = lane + int(delta);
    return stencilscope_shuffle(mask, value, from >= (lane / width + 1) * width ? lane : from, line);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, int line = __builtin_LINE()) {
    const int lane = stencilscope_lane(), from = lane ^ bits;
    return stencilscope_shuffle(mask, value, from >= (lane / width + 1) * width ? lane : from, line);
}
STENCILSCOPE_PLAIN inline unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
    int values[32] = {};
    const unsigned there = stencilscope.exchange(line, mask, &predicate, sizeof predicate, values);
    unsigned ballot = 0;
    for (int lane = 0; lane < 32; ++lane) ballot |= there >> lane & 1 && values[lane] ? 1u << lane : 0;
    return ballot;
}
inline int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
    return __ballot_sync(mask, predicate, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
    return __ballot_sync(mask, !predicate, line) == 0;
}

// Copies that arrive when they are waited for, and no sooner.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t = 0) {
    stencilscope.copy_later(to, from, unsigned(bytes));
}
inline void __pipeline_commit() {
    stencilscope.commit_copies();
}
inline void __pipeline_wait_prior(unsigned newest) {
    stencilscope.wait_for_copies(newest);
}
inline std::size_t __cvta_generic_to_shared(const void* p) {
    return reinterpret_cast<std::size_t>(p);
}
