#include "kernels/equation/fast_program.h"

#include <numbers>

#include "kernels/equation/builder.h"

namespace stencil::equation {
namespace {

// Finds the functions of Elementary in a list of operations by instructions that nothing else makes.
class FastOperations {
  public:
    explicit FastOperations(const Operations& exact) : exact_(exact) {
        for (std::size_t i = 0; i < exact.size(); ++i) made_.push_back(made(int(i)));
    }
    int value_of(int exact) const { return made_[std::size_t(exact)]; }
    const Operations& operations() const { return fast_; }

  private:
    const Operation& at(int value) const { return exact_[std::size_t(value)]; }
    bool is(int value, Code code) const { return value >= 0 && at(value).code == code; }
    int argument(int value, std::size_t k) const { return at(value).args[k]; }

    int append(Code code, int a, int b) {
        fast_.push_back({.code = code, .args = {a, b, -1, -1}});
        return int(fast_.size()) - 1;
    }
    int constant(double number) {
        fast_.push_back({.number = number});
        return int(fast_.size()) - 1;
    }

    // Whether a value is floor(y log2(e) + 1/2), by which exp() scales.
    bool is_power_of_exp(int value) const {
        return is(value, Code::floor) && is(argument(value, 0), Code::fma);
    }
    // exp2 of the hardware takes any number, so the bounds of exp()'s argument are left out.
    int unclamped(int y) const {
        if (!is(y, Code::minimum) || !is(argument(y, 0), Code::constant)) return y;
        const int above = argument(y, 1);
        return is(above, Code::maximum) && is(argument(above, 0), Code::constant) ? argument(above, 1) : y;
    }
    // Whether a value is the exponent to which logarithm() reduces its argument.
    bool is_exponent_of_log(int value) const {
        return is(value, Code::add) && is(argument(value, 0), Code::exponent) &&
               is(argument(value, 1), Code::less) && is(argument(argument(value, 1), 1), Code::significand);
    }
    bool is_exp(int value) const { return is(value, Code::scale) && is_power_of_exp(argument(value, 1)); }

    int made(int value) {
        Operation o = at(value);
        if (is_exp(value)) {
            const int y = unclamped(argument(argument(argument(value, 1), 0), 0));
            const int power = append(Code::multiply, value_of(y), constant(std::numbers::log2e));
            return append(Code::scale, constant(1), power);
        }
        // n ln(2) + the logarithm of what is left of the argument.
        if (o.code == Code::fma && is_exponent_of_log(o.args[0])) {
            const int exponent = argument(o.args[0], 0);
            return append(Code::multiply, value_of(exponent), constant(std::numbers::ln2));
        }
        // power() corrects its exponential by the digits that the logarithm lost.
        if (o.code == Code::select && is_exp(o.args[2]) && is(o.args[1], Code::fma) &&
            argument(o.args[1], 0) == o.args[2])
            return value_of(o.args[2]);
        for (int& argument : o.args)
            if (argument >= 0) argument = value_of(argument);
        fast_.push_back(o);
        return int(fast_.size()) - 1;
    }

    const Operations& exact_;
    Operations fast_;
    std::vector<int> made_;
};

void make_fast(Stage& stage) {
    const FastOperations fast(stage.operations);
    std::vector<int> values;
    for (const Output& output : stage.outputs) values.push_back(fast.value_of(output.value));
    stage.operations = without_dead_code(fast.operations(), values);
    for (std::size_t i = 0; i < values.size(); ++i) stage.outputs[i].value = values[i];
}

}  // namespace

Program fast_program(Program program, bool float64) {
    program.fast = true;
    if (float64) return program;  // the hardware has no such functions of float64
    for (auto* stages : {&program.once, &program.stages})
        for (Stage& stage : *stages) make_fast(stage);
    return program;
}

}  // namespace stencil::equation
