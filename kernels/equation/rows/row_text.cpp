#include "kernels/equation/rows/row_text.h"

#include <set>

#include "kernels/equation/rows/row_machine.h"
#include "kernels/equation/text/operation_text.h"

namespace stencil::equation {
namespace {

// Defines CUDA's names for C, because operations are printed in CUDA C.
constexpr const char* kWords = R"c(#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep") _Pragma("GCC unroll 1") // it unrolls short loops before it makes vectors
#pragma GCC optimize("no-tree-loop-distribute-patterns") // calls no memcpy()
#endif
#define __device__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __fmaf_rn __builtin_fmaf
#define __fma_rn __builtin_fma
#define __fsqrt_rn __builtin_sqrtf
#define __dsqrt_rn __builtin_sqrt
#define __fdiv_rn(a, b) ((a) / (b))
#define __ddiv_rn(a, b) ((a) / (b))
#define floorf __builtin_floorf
#define floor __builtin_floor
__device__ __forceinline__ int __float_as_int(float a) { union { float f; int i; } u = {a}; return u.i; }
__device__ __forceinline__ float __int_as_float(int a) { union { int i; float f; } u = {a}; return u.f; }
__device__ __forceinline__ long long __double_as_longlong(double a) { union { double f; long long i; } u = {a}; return u.i; }
__device__ __forceinline__ double __longlong_as_double(long long a) { union { long long i; double f; } u = {a}; return u.f; }
)c";

// GCC 12 moves a load that only a selection needs under the selection's condition, and then masks it by
// another vector. A selection by bits has no condition to which the load could be moved.
constexpr const char* kFunctions = R"(
__device__ __forceinline__ Real selected(Real a, Real b, Real c) {
    const Bits mask = -(Bits)(a != (Real)0);
    return from_bits((mask & to_bits(b)) | (~mask & to_bits(c)));
}
)";

constexpr const char* kTypes = R"(struct Rows {
    Real* const* arrays;
    const Real *const *columns, *const *rows, *const *random, *uniforms, *globals;
    __PTRDIFF_TYPE__ pitch;
    int nx;
};
)";

// Whether the value is the same in all rows.
bool same_everywhere(Code code) {
    return code == Code::constant || code == Code::uniform || code == Code::global;
}

class RowText {
  public:
    RowText(const Program& program, bool float64) : program_(program), float64_(float64) {}

    std::string whole() {
        text_ += kWords;
        text_ += cuda_precision(float64_);
        text_ += kTypes;
        text_ += cuda_functions(float64_, false);
        text_ += kFunctions;
        for (std::size_t i = 0; i < program_.once.size(); ++i) append_stage(true, i);
        for (std::size_t i = 0; i < program_.stages.size(); ++i) append_stage(false, i);
        return std::move(text_);
    }

  private:
    void append_stage(bool once, std::size_t number) {
        const Stage& stage = (once ? program_.once : program_.stages)[number];
        append(text_,
               "\nvoid %s(const struct Rows* a, int y, int y_end) {\n",
               row_function_name(once, number).c_str());
        for (std::size_t i = 0; i < stage.operations.size(); ++i)
            if (same_everywhere(stage.operations[i].code)) append_value(stage, i, 0);
        text_ += "    const __PTRDIFF_TYPE__ p = a->pitch;\n";
        if (!draws_numbers(stage)) append_rows_together(stage);
        append_rows(stage, 1);
        text_ += "}\n";
    }

    // Several rows per iteration share loads of neighbours: as many as registers permit (AVX-512 has twice as
    // many).
    void append_rows_together(const Stage& stage) {
        const std::size_t reached = arrays_read(stage, true).size();
        if (reached == 2) text_ += "#ifdef __AVX512F__\n";
        if (reached == 1 || reached == 2) append_rows(stage, 4);
        if (reached == 2) text_ += "#else\n";
        if (reached >= 2) append_rows(stage, 2);
        if (reached == 2) text_ += "#endif\n";
    }

    // A tile may extend beyond a row's end, into padding that is never read.
    void append_rows(const Stage& stage, int rows) {
        append(text_, "    for (; y + %d <= y_end; y += %d) {\n", rows, rows);
        append_pointers(stage);
        for (int row = 0; row < rows; ++row)
            for (std::size_t i = 0; i < stage.operations.size(); ++i)
                if (stage.operations[i].code == Code::row) append_value(stage, i, row);
        append(text_,
               "    for (int x = 0; x < a->nx; x += %d) {\n"
               "        INDEPENDENT for (int k = 0; k < %d; ++k) {\n"
               "            const __PTRDIFF_TYPE__ i = x + k;\n",
               tile(),
               tile());
        for (int row = 0; row < rows; ++row)
            for (std::size_t i = 0; i < stage.operations.size(); ++i)
                if (!same_everywhere(stage.operations[i].code) && stage.operations[i].code != Code::row)
                    append_value(stage, i, row);
        for (int row = 0; row < rows; ++row)
            for (const Output& output : stage.outputs)
                append(text_,
                       "            to%d[i + %d * p] = %s;\n",
                       output.array,
                       row,
                       value_name(stage, output.value, row).c_str());
        text_ += "        }\n    }\n    }\n";
    }

    // Only one pointer per array, because compilers keep few in registers.
    void append_pointers(const Stage& stage) {
        std::set<std::string> told;
        for (const Operation& o : stage.operations) {
            if (o.code != Code::load && o.code != Code::column && o.code != Code::random) continue;
            const std::string name = source_name(o);
            if (!told.insert(name).second) continue;
            append(text_, "    const Real* %s = ", name.c_str());
            if (o.code == Code::load)
                append(text_, "a->arrays[%d] + y * p;\n", o.index);
            else
                append(text_, "a->%s[%d];\n", o.code == Code::column ? "columns" : "random", o.index);
        }
        for (const Output& output : stage.outputs)
            append(text_, "    Real* to%d = a->arrays[%d] + y * p;\n", output.array, output.array);
    }

    static std::string source_name(const Operation& o) {
        const char* name = o.code == Code::load ? "from" : o.code == Code::column ? "column" : "random";
        return name + std::to_string(o.index);
    }

    static std::string value_name(const Stage& stage, int value, int row) {
        const std::string name = "v" + std::to_string(value);
        return same_everywhere(stage.operations[std::size_t(value)].code) ? name
                                                                          : name + "_" + std::to_string(row);
    }

    void append_value(const Stage& stage, std::size_t number, int row) {
        const Operation& o = stage.operations[number];
        append(text_, "    const Real %s = ", value_name(stage, int(number), row).c_str());
        text_ += value_text(stage, o, row) + ";\n";
    }

    std::string value_text(const Stage& stage, const Operation& o, int row) const {
        switch (o.code) {
            case Code::constant:
                return constant_text(o.number, float64_);
            case Code::uniform:
                return "a->uniforms[" + std::to_string(o.index) + "]";
            case Code::global:
                return "a->globals[" + std::to_string(o.index) + "]";
            case Code::row:
                return "a->rows[" + std::to_string(o.index) + "][y + (" + std::to_string(o.dy + row) + ")]";
            case Code::load:
                return source_name(o) + "[i + (" + std::to_string(o.dy + row) + ") * p + (" +
                       std::to_string(o.dx) + ")]";
            case Code::column:
            case Code::random:
                return source_name(o) + "[i + (" + std::to_string(o.dx) + ")]";
            default:
                break;
        }
        std::array<std::string, 4> args;
        for (std::size_t k = 0; k < args.size(); ++k)
            if (o.args[k] >= 0) args[k] = value_name(stage, o.args[k], row);
        if (o.code == Code::select) return filled_in("selected($a, $b, $c)", args);
        return operation_text(o.code, args);
    }

    // A cache line: longer tiles waste work at the ends of short rows, and compilers keep less of them in
    // registers.
    int tile() const { return (float64_ ? kLeastTile<double> : kLeastTile<float>) / 4; }

    const Program& program_;
    bool float64_;
    std::string text_;
};

}  // namespace

std::string row_function_name(bool once, std::size_t stage) {
    return (once ? "once" : "stage") + std::to_string(stage);
}

std::string row_text(const Program& program, bool float64) {
    return RowText(program, float64).whole();
}

}  // namespace stencil::equation
