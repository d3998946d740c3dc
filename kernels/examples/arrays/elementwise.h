// Arithmetic on each element of an array: whole expressions in one pass, and the separate passes that array
// libraries make for them.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

namespace stencil {

class CudaStream;
class ThreadPool;

/// A function of one element, or of two elements of different arrays.
enum class Map {
    sine_of_line,  ///< sin(2a + 1)
    chain,         ///< y = exp(sin a cos a), then 2y where y > 0.5, else y/2
    sine,
    cosine,
    square,
    twice,
    plus_one,
    exponential,
    choose,   ///< 2a where a > 0.5, else a/2
    product,  ///< a b
    sum       ///< a + b
};

constexpr bool takes_two(Map map) {
    return map == Map::product || map == Map::sum;
}

/// The reference for a map: the standard library's functions in the precision R, on the host and on the
/// device.
template <class R>
constexpr R map_value(Map map, R a, R b = 0) {
    switch (map) {
        case Map::sine_of_line:
            return std::sin(2 * a + 1);
        case Map::chain:
            return map_value(Map::choose, std::exp(std::sin(a) * std::cos(a)));
        case Map::sine:
            return std::sin(a);
        case Map::cosine:
            return std::cos(a);
        case Map::square:
            return a * a;
        case Map::twice:
            return 2 * a;
        case Map::plus_one:
            return a + 1;
        case Map::exponential:
            return std::exp(a);
        case Map::choose:
            return a > R(0.5) ? 2 * a : a / 2;
        case Map::product:
            return a * b;
        case Map::sum:
            return a + b;
    }
    return a;
}

/// A map between numbered arrays; `b` is used only if the map takes two.
struct Pass {
    Map map;
    int a, b, to;
};

/// An expression of the example: as one fused map, and as the separate passes of array libraries. Array 0 is
/// the input, 1 the output, the others are scratch.
struct Expression {
    Map map;
    std::string_view name;  ///< name on the command line
    std::string_view text;  ///< the formula as displayed
    std::span<const Pass> passes;
    int side_x, side_y;  ///< size of the array in the tutorials
};

inline constexpr Pass kSineOfLinePasses[] = {
    {Map::twice, 0, 0, 1}, {Map::plus_one, 1, 1, 2}, {Map::sine, 2, 2, 1}};
inline constexpr Pass kSinePasses[] = {{Map::sine, 0, 0, 1}};
inline constexpr Pass kSquarePasses[] = {{Map::square, 0, 0, 1}};
inline constexpr Pass kChainPasses[] = {{Map::sine, 0, 0, 2},
                                        {Map::cosine, 0, 0, 3},
                                        {Map::product, 2, 3, 1},
                                        {Map::exponential, 1, 1, 2},
                                        {Map::choose, 2, 2, 1}};
inline constexpr Expression kExpressions[] = {
    {Map::sine_of_line, "sin2x1", "sin(2x + 1)", kSineOfLinePasses, 4000, 4000},
    {Map::sine, "sin", "sin x", kSinePasses, 1024, 1024},
    {Map::square, "square", "x^2", kSquarePasses, 1024, 1024},
    {Map::chain, "chain", "y = exp(sin x cos x), y > 0.5 ? 2y : y/2", kChainPasses, 1000, 1000},
};

/// to[i] = map(a[i], b[i]) for i in [0, n). T is float or double, n >= 0. Arrays must not overlap, unless
/// they are the same. Relative errors are below 4 ulp for every number: lanes beyond the range of the vector
/// functions fall back to the standard library.
template <class T>
void cpu_map(ThreadPool& threads, Map map, const T* a, const T* b, T* to, std::int64_t n);

/// Enqueues the same on the device; pointers are to device memory, with any alignment of T. Throws CudaError.
template <class T>
void cuda_map(CudaStream& stream, Map map, const T* a, const T* b, T* to, std::int64_t n);

}  // namespace stencil
