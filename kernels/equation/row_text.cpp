#include "kernels/equation/row_text.h"

#include <algorithm>
#include <set>

#include "kernels/equation/operation_text.h"
#include "kernels/equation/row_machine.h"

namespace stencil::equation {
namespace {

// CUDA's words, of which the operations are made.
constexpr const char* kWords = R"c(#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
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

constexpr const char* kTypes = R"(struct Rows {
    Real* const* arrays;
    const Real *const *columns, *const *rows, *const *random, *uniforms;
    __PTRDIFF_TYPE__ pitch;
};
)";

// Whether the value is the same in a whole row.
bool same_in_row(Code code) {
    return code == Code::constant || code == Code::uniform || code == Code::row;
}

class Text {
  public:
    Text(const Program& program, bool float64) : program_(program), float64_(float64) {}

    std::string whole() {
        text_ += kWords;
        text_ += cuda_precision(float64_);
        text_ += kTypes;
        text_ += cuda_functions();
        for (std::size_t i = 0; i < program_.once.size(); ++i) append_stage(true, i);
        for (std::size_t i = 0; i < program_.stages.size(); ++i) append_stage(false, i);
        return std::move(text_);
    }

  private:
    void append_stage(bool once, std::size_t number) {
        const Stage& stage = (once ? program_.once : program_.stages)[number];
        append(text_,
               "\nvoid %s(const struct Rows* a, int y, int begin, int end) {\n",
               row_function_name(once, number).c_str());
        append_pointers(stage);
        for (std::size_t i = 0; i < stage.operations.size(); ++i)
            if (same_in_row(stage.operations[i].code)) append_value(i, stage.operations[i]);
        // The last tile is moved back to end where the cells do; fewer cells than a tile have room for one.
        const int tile = float64_ ? kLeastTile<double> : kLeastTile<float>;
        append(text_,
               "    const int last = end - begin > %d ? end - %d : begin;\n"
               "    for (int x = begin; x < end; x += %d) {\n"
               "        const __PTRDIFF_TYPE__ first = x < last ? x : last;\n"
               "        INDEPENDENT for (int k = 0; k < %d; ++k) {\n"
               "            const __PTRDIFF_TYPE__ i = first + k;\n",
               tile,
               tile,
               tile,
               tile);
        for (std::size_t i = 0; i < stage.operations.size(); ++i)
            if (!same_in_row(stage.operations[i].code)) append_value(i, stage.operations[i]);
        for (const Output& output : stage.outputs)
            append(text_, "            to%d[i] = v%d;\n", output.array, output.value);
        text_ += "        }\n    }\n}\n";
    }

    // One for each row of an array that is read, or written.
    void append_pointers(const Stage& stage) {
        std::set<std::string> told;
        random_ = 0;
        for (const Operation& o : stage.operations) {
            if (o.code == Code::random) ++random_;
            if (o.code != Code::load && o.code != Code::column && o.code != Code::random) continue;
            const std::string name = source_name(o);
            if (!told.insert(name).second) continue;
            append(text_, "    const Real* %s = ", name.c_str());
            if (o.code == Code::load)
                append(text_, "a->arrays[%d] + (y + (%d)) * a->pitch;\n", o.index, o.dy);
            else if (o.code == Code::column)
                append(text_, "a->columns[%d];\n", o.index);
            else
                append(text_, "a->random[%d];\n", random_ - 1);
        }
        for (const Output& output : stage.outputs)
            append(text_, "    Real* to%d = a->arrays[%d] + y * a->pitch;\n", output.array, output.array);
    }

    static std::string source_name(const Operation& o) {
        constexpr std::array<const char*, 3> kRowNames{"above", "row", "below"};
        if (o.code == Code::load) return kRowNames[std::size_t(o.dy + 1)] + std::to_string(o.index);
        return (o.code == Code::column ? "column" : "random") + std::to_string(o.index);
    }

    void append_value(std::size_t number, const Operation& o) {
        append(text_, "    %sconst Real v%zu = ", same_in_row(o.code) ? "" : "        ", number);
        text_ += value_text(o) + ";\n";
    }

    std::string value_text(const Operation& o) const {
        switch (o.code) {
            case Code::constant:
                return constant_text(o.number, float64_);
            case Code::uniform:
                return "a->uniforms[" + std::to_string(o.index) + "]";
            case Code::row:
                return "a->rows[" + std::to_string(o.index) + "][y + (" + std::to_string(o.dy) + ")]";
            case Code::load:
            case Code::column:
            case Code::random:
                return source_name(o) + "[i + (" + std::to_string(o.dx) + ")]";
            default:
                break;
        }
        std::array<std::string, 4> args;
        for (std::size_t k = 0; k < args.size(); ++k)
            if (o.args[k] >= 0) args[k] = "v" + std::to_string(o.args[k]);
        return operation_text(o.code, args);
    }

    const Program& program_;
    bool float64_;
    int random_ = 0;
    std::string text_;
};

}  // namespace

std::string row_function_name(bool once, std::size_t stage) {
    return (once ? "once" : "stage") + std::to_string(stage);
}

std::string row_text(const Program& program, bool float64) {
    return Text(program, float64).whole();
}

}  // namespace stencil::equation
