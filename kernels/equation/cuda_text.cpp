#include "kernels/equation/cuda_text.h"

#include <array>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <vector>

namespace stencil::equation {
namespace {

// What every text begins with. Philox4x32-10, powers of two and the parts of numbers are those of random.h
// and scalar_machine.h.
constexpr const char* kPrelude = R"(
struct Side { const Real* alpha; const Real* beta; };
struct Grid { int nx, ny; long long pitch; unsigned long long seed; long long step; };

__device__ __forceinline__ Real cell_at(const Real* a, const Side* sides, const Grid& g, int x, int y) {
    if ((unsigned)x < (unsigned)g.nx && (unsigned)y < (unsigned)g.ny) return a[y * g.pitch + x];
    const int cx = min(max(x, 0), g.nx - 1), cy = min(max(y, 0), g.ny - 1);
    const int wx = (x + g.nx) % g.nx, wy = (y + g.ny) % g.ny;
    // Sideways at the row inside first, then up or down, so that corners are both.
    const Side& v = sides[y < 0 ? 2 : 3];
    const int row = y == cy ? y : v.alpha ? cy : wy;
    const Side& h = sides[x < 0 ? 0 : 1];
    Real value = a[row * g.pitch + (x == cx ? x : h.alpha ? cx : wx)];
    if (x != cx && h.alpha) value = fma_rn(h.alpha[row], value, h.beta[row]);
    if (y != cy && v.alpha) value = fma_rn(v.alpha[cx], value, v.beta[cx]);
    return value;
}

__device__ __forceinline__ Real two_to(Real n) { return from_bits(((Bits)n + kBias) << kMantissa); }
__device__ __forceinline__ Real scaled(Real a, Real n) {
    const Real least = 2 - 2 * kBias, most = 2 * kBias;
    const Real above = n > least ? n : least;
    const Real whole = above < most ? above : most;
    const Real half = floor_of(whole * (Real)0.5);
    return a * two_to(half) * two_to(whole - half);
}
__device__ __forceinline__ Real normal_of(Real a) { return a < kLeast ? a * (Real)(1LL << kMantissa) : a; }
__device__ __forceinline__ Real exponent_of(Real a) {
    return (Real)((to_bits(normal_of(a)) >> kMantissa) - kBias) - (a < kLeast ? (Real)kMantissa : (Real)0);
}
__device__ __forceinline__ Real significand_of(Real a) {
    return from_bits((to_bits(normal_of(a)) & (((Bits)1 << kMantissa) - 1)) | to_bits((Real)1));
}
__device__ __forceinline__ Real random_cell(const Grid& g, int stream, int x, int y) {
    unsigned c0 = x, c1 = y, c2 = (unsigned)g.step, c3 = (unsigned)stream ^ (unsigned)((unsigned long long)g.step >> 32) << 16;
    unsigned k0 = (unsigned)g.seed, k1 = (unsigned)(g.seed >> 32);
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

constexpr const char* kFloat32 = R"(typedef float Real;
typedef int Bits;
#define kMantissa 23
#define kBias 127
#define kLeast 1.17549435e-38f
#define fma_rn __fmaf_rn
#define sqrt_rn __fsqrt_rn
#define divide_rn __fdiv_rn
#define floor_of floorf
#define absolute fabsf
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
#define absolute fabs
#define to_bits __double_as_longlong
#define from_bits __longlong_as_double
#define uniform_of(a, b) ((Real)(((unsigned long long)(a) << 21) ^ ((b) >> 11)) * 1.1102230246251565e-16)
)";

// Appends as printf does.
__attribute__((format(printf, 2, 3))) void append(std::string& text, const char* form, ...) {
    std::array<char, 300> line;
    va_list arguments;
    va_start(arguments, form);
    std::vsnprintf(line.data(), line.size(), form, arguments);
    va_end(arguments);
    text += line.data();
}

void append_constant(std::string& text, double number, bool float64) {
    if (float64)
        append(text,
               "from_bits(0x%llxLL)",
               static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(number)));
    else
        append(text, "from_bits(0x%x)", std::bit_cast<std::uint32_t>(float(number)));
}

void append_input(std::string& text, const Operation& o) {
    switch (o.code) {
        case Code::uniform:
            return append(text, "__ldg(a.uniforms + %d)", o.index);
        case Code::column:
            return append(text, "__ldg(a.columns[%d] + x + (%d))", o.index, o.dx);
        case Code::row:
            return append(text, "__ldg(a.rows[%d] + y + (%d))", o.index, o.dy);
        case Code::random:
            return append(text, "random_cell(a.grid, %d, x, y)", o.index);
        default:
            break;
    }
    if (o.dx == 0 && o.dy == 0) return append(text, "a.arrays[%d][y * a.grid.pitch + x]", o.index);
    append(
        text, "cell_at(a.arrays[%d], a.sides[%d], a.grid, x + (%d), y + (%d))", o.index, o.index, o.dx, o.dy);
}

// With $a to $d for the arguments.
const char* form_of(Code code) {
    switch (code) {
        case Code::add:
            return "$a + $b";
        case Code::subtract:
            return "$a - $b";
        case Code::multiply:
            return "$a * $b";
        case Code::divide:
            return "divide_rn($a, $b)";
        case Code::fma:
            return "fma_rn($a, $b, $c)";
        case Code::fnma:
            return "fma_rn(-$a, $b, $c)";
        case Code::fms:
            return "fma_rn($a, $b, -$c)";
        case Code::sum4:
            return "($a + $b) + ($c + $d)";
        case Code::negate:
            return "-$a";
        case Code::sqrt:
            return "sqrt_rn($a)";
        case Code::abs:
            return "absolute($a)";
        case Code::floor:
            return "floor_of($a)";
        case Code::minimum:
            return "$a < $b ? $a : $b";
        case Code::maximum:
            return "$a > $b ? $a : $b";
        case Code::less:
            return "(Real)($a < $b)";
        case Code::less_or_equal:
            return "(Real)($a <= $b)";
        case Code::equal:
            return "(Real)($a == $b)";
        case Code::select:
            return "$a != (Real)0 ? $b : $c";
        case Code::scale:
            return "scaled($a, $b)";
        case Code::exponent:
            return "exponent_of($a)";
        default:
            return "significand_of($a)";
    }
}

void append_operation(std::string& text, const Operation& o) {
    for (const char* c = form_of(o.code); *c != '\0'; ++c) {
        if (*c == '$')
            append(text, "v%d", o.args[std::size_t(*++c - 'a')]);
        else
            text += *c;
    }
}

void append_stage(std::string& text, const char* name, std::size_t number, const Stage& stage, bool float64) {
    append(
        text,
        "\nextern \"C\" __global__ void __launch_bounds__(%d) %s%zu(const __grid_constant__ Arguments a) {\n",
        kCudaBlockColumns * kCudaBlockRows,
        name,
        number);
    append(text,
           "    const int x = blockIdx.x * %d + threadIdx.x, y = blockIdx.y * %d + threadIdx.y;\n",
           kCudaBlockColumns,
           kCudaBlockRows);
    text += "    if (x >= a.grid.nx || y >= a.grid.ny) return;\n";
    for (std::size_t i = 0; i < stage.operations.size(); ++i) {
        const Operation& o = stage.operations[i];
        append(text, "    const Real v%zu = ", i);
        if (o.code == Code::constant)
            append_constant(text, o.number, float64);
        else if (o.code < Code::add)
            append_input(text, o);
        else
            append_operation(text, o);
        text += ";\n";
    }
    for (const Output& output : stage.outputs)
        append(text, "    a.arrays[%d][y * a.grid.pitch + x] = v%d;\n", output.array, output.value);
    text += "}\n";
}

}  // namespace

std::string cuda_text(const Program& program, bool float64) {
    std::string text = float64 ? kFloat64 : kFloat32;
    text += kPrelude;
    const auto at_least_one = [](std::size_t n) { return n > 0 ? n : 1; };
    append(text,
           "struct Arguments { Grid grid; Real* arrays[%zu]; Side sides[%zu][4]; const Real* uniforms; const "
           "Real* "
           "columns[%zu]; const Real* rows[%zu]; };\n",
           program.arrays.size(),
           program.arrays.size(),
           at_least_one(program.columns.outputs.size()),
           at_least_one(program.rows.outputs.size()));
    for (std::size_t i = 0; i < program.once.size(); ++i)
        append_stage(text, "once", i, program.once[i], float64);
    for (std::size_t i = 0; i < program.stages.size(); ++i)
        append_stage(text, "stage", i, program.stages[i], float64);
    return text;
}

}  // namespace stencil::equation
