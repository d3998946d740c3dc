// Arithmetic on each element of an array: whole expressions in one pass, and the separate passes that array
// libraries make of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace stencil {

class CudaStream;
class ThreadPool;

/// The expressions of the example.
enum class Expression {
    sine_of_line,  ///< sin(2x + 1)
    sine,          ///< sin x
    square,        ///< x^2
    chain          ///< y = exp(sin x cos x), then 2y where y > 0.5, else y/2
};

/// One operation on whole arrays.
enum class Pass { twice, plus_one, sine, cosine, square, product, exponential, choose, sum };

/// An array that a pass reads or writes.
enum class Place { none, in, out, first_scratch, second_scratch };

struct PassUse {
    Pass pass;
    Place a;
    Place b;  ///< none where the pass takes one array
    Place to;
};

struct ExpressionRow {
    Expression expression;
    std::string_view name;  ///< for the command line
    std::string_view text;  ///< as it is written
    std::span<const PassUse> passes;
    int scratch_arrays;  ///< that the passes need
    int side_x, side_y;  ///< of the array that the tutorials take
};

/// All of them, in the order of the enumeration.
std::span<const ExpressionRow> expressions();
const ExpressionRow& row_of(Expression expression);

// T is float or double, n >= 0. Arrays must not overlap, unless they are the same. Values beyond the range of
// the vector functions are handed to the standard library's: the results hold for every x.

/// y = expression(x) in one pass. Relative errors below 4 ulp.
template <class T>
void cpu_elementwise(ThreadPool& threads, Expression expression, const T* x, T* y, std::int64_t n);

/// `b` is read by product and sum alone.
template <class T>
void cpu_pass(ThreadPool& threads, Pass pass, const T* a, const T* b, T* to, std::int64_t n);

/// Enqueues the same on the device; pointers are the device's, at any alignment of T. Throws CudaError.
template <class T>
void cuda_elementwise(CudaStream& stream, Expression expression, const T* x, T* y, std::int64_t n);
template <class T>
void cuda_pass(CudaStream& stream, Pass pass, const T* a, const T* b, T* to, std::int64_t n);

}  // namespace stencil
