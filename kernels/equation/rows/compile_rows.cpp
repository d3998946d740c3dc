#include <algorithm>
#include <utility>

#include "kernels/equation/rows/row_machine.h"

namespace stencil::equation {
namespace {

using Kind = Operand::Kind;

Operand array_operand(int array) {
    return {Kind::memory, Code::load, 0, 0, array};
}

class Compiler {
  public:
    explicit Compiler(const Stage& stage)
        : stage_(stage), places_(stage.operations.size()), last_use_(stage.operations.size(), -1) {}

    RowProgram compile() {
        for (std::size_t i = 0; i < places_.size(); ++i)
            for (const int argument : stage_.operations[i].args)
                if (argument >= 0) last_use_[std::size_t(argument)] = int(i);
        for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = placed(i);
        copy_inputs();
        return std::move(result_);
    }

  private:
    Operand placed(std::size_t i) {
        const Operation& o = stage_.operations[i];
        if (o.code == Code::constant) {
            result_.constants.push_back(o.number);
            return {Kind::memory, o.code, 0, 0, int(result_.constants.size()) - 1};
        }
        if (o.code < Code::random) return {Kind::memory, o.code, o.dx, o.dy, o.index};
        RowOperation operation{o.code, {}, {}, o.index};
        for (std::size_t k = 0; k < o.args.size(); ++k)
            if (o.args[k] >= 0) operation.from[k] = places_[std::size_t(o.args[k])];
        // The result may reuse an argument's register, because cells are independent.
        for (const int argument : o.args)
            if (argument >= 0 && last_use_[std::size_t(argument)] == int(i)) release(std::size_t(argument));
        const auto output = std::ranges::find(stage_.outputs, int(i), &Output::value);
        operation.to = output == stage_.outputs.end() ? take_register() : array_operand(output->array);
        result_.operations.push_back(operation);
        return operation.to;
    }

    Operand take_register() {
        if (free_.empty()) free_.push_back(result_.registers++);
        const int index = free_.back();
        free_.pop_back();
        return {Kind::reg, Code::load, 0, 0, index};
    }

    void release(std::size_t operation) {
        const Operand& place = places_[operation];
        if (place.kind != Kind::reg || std::ranges::find(free_, place.index) != free_.end()) return;
        free_.push_back(place.index);
    }

    // An output that is an input, or shares its value, needs a copy: minimum(a, a), because a + 0 would lose
    // the sign of -0.
    void copy_inputs() {
        for (const Output& output : stage_.outputs) {
            const Operand &value = places_[std::size_t(output.value)], to = array_operand(output.array);
            if (value != to) result_.operations.push_back({Code::minimum, to, {value, value, {}, {}}});
        }
    }

    const Stage& stage_;
    std::vector<Operand> places_;
    std::vector<int> last_use_;
    std::vector<int> free_;
    RowProgram result_;
};

}  // namespace

RowProgram compile_rows(const Stage& stage) {
    return Compiler(stage).compile();
}

}  // namespace stencil::equation
