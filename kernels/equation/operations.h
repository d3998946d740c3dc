// The table of instructions, with all properties of each except its vector form, which is in
// rows/row_machine.cpp. Also properties of stages that several executors need.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "kernels/equation/float_parts.h"
#include "kernels/equation/program.h"
#include "kernels/equation/required.h"

namespace stencil::equation {

/// Operator precedence, which decides where a readable formula needs brackets.
enum class Precedence : std::uint8_t { sum, product, sign, whole };

/// An instruction as it is written in a formula. $a to $d stand for the arguments.
struct Readable {
    const char* form;
    Precedence precedence = Precedence::whole;
    /// The lowest precedence that each argument may have without brackets.
    std::array<Precedence, 4> least{};
};

/// The value of an instruction in both precisions, for the scalar interpreter.
struct ScalarFunction {
    template <std::convertible_to<float (*)(float, float, float, float)> F>
    constexpr ScalarFunction(F f) : of_float(f), of_double(f) {}
    template <class T>
    T of(T a, T b, T c, T d) const {
        if constexpr (sizeof(T) == sizeof(float))
            return of_float(a, b, c, d);
        else
            return of_double(a, b, c, d);
    }
    float (*of_float)(float, float, float, float);
    double (*of_double)(double, double, double, double);
};

/// A row without one of the required members does not compile.
struct OperationRow {
    Required<Code> code;
    /// Valid in C, CUDA C, GLSL and JavaScript alike, with $a to $d for the arguments: what differs between
    /// these languages is a function that each of them defines (cuda_functions(), kGlslFunctions,
    /// assets/web/arithmetic.js).
    Required<const char*> c;
    Required<Readable> readable;
    Required<ScalarFunction> scalar;
    int count = 1;         ///< operations, for operations_of_cell()
    int instructions = 1;  ///< estimated instructions on a GPU
};

inline constexpr auto kOperations = [] {
    using enum Precedence;
    using P = std::array<Precedence, 4>;
    constexpr P kSum{sum, product}, kProduct{product, sign};
    return std::to_array<OperationRow>({
        // Depends on the cell, so executors draw the number themselves, and formulas show its name.
        {Code::random, "", Readable{""}, [](auto a, auto, auto, auto) { return a; }, 1, 60},
        {Code::add,
         "$a + $b",
         Readable{"$a + $b", sum, kSum},
         [](auto a, auto b, auto, auto) { return a + b; }},
        {Code::subtract,
         "$a - $b",
         Readable{"$a - $b", sum, kSum},
         [](auto a, auto b, auto, auto) { return a - b; }},
        {Code::multiply,
         "$a * $b",
         Readable{"$a*$b", product, kProduct},
         [](auto a, auto b, auto, auto) { return a * b; }},
        {Code::divide,
         "divide_rn($a, $b)",
         Readable{"$a/$b", product, kProduct},
         [](auto a, auto b, auto, auto) { return a / b; },
         1,
         8},
        {Code::fma,
         "fma_rn($a, $b, $c)",
         Readable{"$c + $a*$b", sum, P{product, sign, sum}},
         [](auto a, auto b, auto c, auto) { return std::fma(a, b, c); }},
        {Code::fnma,
         "fma_rn(-$a, $b, $c)",
         Readable{"$c - $a*$b", sum, P{product, sign, sum}},
         [](auto a, auto b, auto c, auto) { return std::fma(-a, b, c); }},
        {Code::fms,
         "fma_rn($a, $b, -$c)",
         Readable{"$a*$b - $c", sum, P{product, sign, product}},
         [](auto a, auto b, auto c, auto) { return std::fma(a, b, -c); }},
        {Code::sum4,
         "($a + $b) + ($c + $d)",
         Readable{"($a + $b) + ($c + $d)", sum},
         [](auto a, auto b, auto c, auto d) { return (a + b) + (c + d); },
         2},
        {Code::negate,
         "negated($a)",
         Readable{"-$a", sign, P{sign}},
         [](auto a, auto, auto, auto) { return -a; }},
        {Code::sqrt,
         "sqrt_rn($a)",
         Readable{"sqrt($a)"},
         [](auto a, auto, auto, auto) { return std::sqrt(a); },
         1,
         8},
        {Code::abs,
         "magnitude($a)",
         Readable{"abs($a)"},
         [](auto a, auto, auto, auto) { return std::abs(a); }},
        {Code::floor,
         "floor_of($a)",
         Readable{"floor($a)"},
         [](auto a, auto, auto, auto) { return std::floor(a); }},
        {Code::minimum,
         "$a < $b ? $a : $b",
         Readable{"min($a, $b)"},
         [](auto a, auto b, auto, auto) { return a < b ? a : b; }},
        {Code::maximum,
         "$a > $b ? $a : $b",
         Readable{"max($a, $b)"},
         [](auto a, auto b, auto, auto) { return a > b ? a : b; }},
        {Code::less,
         "real_of($a < $b)",
         Readable{"($a < $b)"},
         [](auto a, auto b, auto, auto) { return decltype(a)(a < b); }},
        {Code::less_or_equal,
         "real_of($a <= $b)",
         Readable{"($a <= $b)"},
         [](auto a, auto b, auto, auto) { return decltype(a)(a <= b); }},
        {Code::equal,
         "real_of($a == $b)",
         Readable{"($a == $b)"},
         [](auto a, auto b, auto, auto) { return decltype(a)(a == b); }},
        {Code::select,
         "$a != real_of(0) ? $b : $c",
         Readable{"where($a, $b, $c)"},
         [](auto a, auto b, auto c, auto) { return a != 0 ? b : c; }},
        {Code::scale,
         "scaled($a, $b)",
         Readable{"ldexp($a, $b)"},
         [](auto a, auto b, auto, auto) { return scaled(a, b); }},
        {Code::exponent,
         "exponent_of($a)",
         Readable{"exponent($a)"},
         [](auto a, auto, auto, auto) { return exponent_of(a); }},
        {Code::significand,
         "significand_of($a)",
         Readable{"significand($a)"},
         [](auto a, auto, auto, auto) { return significand_of(a); }},
    });
}();
static_assert(std::ranges::is_sorted(kOperations,
                                     {},
                                     [](const OperationRow& row) { return row.code.value; }) &&
              kOperations.size() == std::size_t(Code::significand) - std::size_t(Code::random) + 1);

/// The row of an operation; null for inputs.
constexpr const OperationRow* row_of(Code code) {
    return code < Code::random ? nullptr : &kOperations[std::size_t(code) - std::size_t(Code::random)];
}

/// Inserts the arguments into a form of the table.
inline std::string filled_in(const char* form, const std::array<std::string, 4>& args) {
    std::string text;
    for (const char* c = form; *c != '\0'; ++c) {
        if (*c == '$')
            text += args[std::size_t(*++c - 'a')];
        else
            text += *c;
    }
    return text;
}

/// The arrays that a stage reads; with `around`, those whose neighbours it reads.
inline std::set<int> arrays_read(const Stage& stage, bool around = false) {
    std::set<int> arrays;
    for (const Operation& o : stage.operations)
        if (o.code == Code::load && (!around || o.dx != 0 || o.dy != 0)) arrays.insert(o.index);
    return arrays;
}
inline bool reads(const Stage& stage, int array, bool around = false) {
    return arrays_read(stage, around).contains(array);
}

/// Arithmetic operations per cell and step: additions, multiplications, multiply-adds, divisions, roots,
/// comparisons, selections and random numbers count 1; a sum of four neighbours counts 2, since its pairs
/// serve two cells. Memory accesses and setup stages are not counted.
inline double operations_of_cell(const Stage& stage) {
    double count = 0;
    for (const Operation& o : stage.operations)
        if (const OperationRow* row = row_of(o.code)) count += row->count;
    return count;
}
inline double operations_of_cell(const Program& program) {
    double count = 0;
    for (const Stage& stage : program.stages) count += operations_of_cell(stage);
    return count;
}

inline bool draws_numbers(const Stage& stage) {
    return std::ranges::find(stage.operations, Code::random, &Operation::code) != stage.operations.end();
}

/// Whether every cell depends on all others after the stage: a pass ends there, and steps are not fused.
inline bool couples_all_cells(const Stage& stage) {
    return !stage.solve.to.empty() || !stage.reductions.empty();
}
inline bool couples_all_cells(const Program& program) {
    const auto does = [](const Stage& stage) { return couples_all_cells(stage); };
    return std::ranges::any_of(program.once, does) || std::ranges::any_of(program.stages, does);
}

/// The halo rows of an array that a slab needs for correct local rows after one step with all its setup
/// stages. Wrong rows of an array are the outermost ones of its halo; the results of a solve bring their own
/// halo.
inline int halo_rows(const Program& program, int array) {
    std::vector<int> wrong(program.arrays.size(), 0);
    int needed = 0;
    const auto need = [&](int used) { needed = std::max(needed, wrong[std::size_t(used)]); };
    for (const auto* stages : {&program.once, &program.stages})
        for (const Stage& stage : *stages) {
            int most = 0;
            for (const Operation& o : stage.operations)
                if (o.code == Code::load) most = std::max(most, wrong[std::size_t(o.index)] + std::abs(o.dy));
            for (const Output& output : stage.outputs) wrong[std::size_t(output.array)] = most;
            for (const Reduction& reduction : stage.reductions) need(reduction.array);
            std::ranges::for_each(stage.solve.from, need);
            for (const int made : stage.solve.to) wrong[std::size_t(made)] = 0;
        }
    need(array);
    return needed;
}

/// The program for the steps between those that compute global values.
inline Program between_globals(Program program) {
    std::erase_if(program.stages, [](const Stage& stage) { return stage.of_globals; });
    for (Stage& stage : program.once) stage.reductions.clear();
    return program;
}

/// Whether several steps may run in one kernel. Programs that keep more than the components between steps
/// would get other bits.
inline bool may_fuse_steps(const Program& program) {
    return !couples_all_cells(program) && program.past == 0 && program.errors == 0;
}

/// Whether the ghost cells of some array depend on time.
inline bool has_ghosts_of_time(const Program& program) {
    return std::ranges::any_of(program.arrays, [](const ArrayInfo& array) {
        return std::ranges::any_of(array.ghosts, [](const Ghosts& g) { return g.coefficients.of_time; });
    });
}

/// Whether the ghost cells of some array depend on global values.
inline bool has_ghosts_of_globals(const Program& program) {
    return std::ranges::any_of(program.arrays, [](const ArrayInfo& array) {
        return std::ranges::any_of(array.ghosts, [](const Ghosts& g) { return g.coefficients.of_globals; });
    });
}

}  // namespace stencil::equation
