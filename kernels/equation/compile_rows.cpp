#include <algorithm>

#include "kernels/equation/row_machine.h"

namespace stencil::equation {
namespace {

Operand input_operand(const Operation& o) {
    using enum Operand::Kind;
    switch (o.code) {
        case Code::uniform:
            return {uniform, 0, 0, o.index};
        case Code::column:
            return {column, o.dx, 0, o.index};
        case Code::row:
            return {row, 0, o.dy, o.index};
        default:
            return {load, o.dx, o.dy, o.index};
    }
}

class Compiler {
  public:
    explicit Compiler(const Stage& stage)
        : stage_(stage), places_(stage.operations.size()), last_use_(stage.operations.size(), -1) {}

    RowProgram compile() {
        find_last_uses();
        for (std::size_t i = 0; i < stage_.operations.size(); ++i) place(i);
        copy_inputs();
        return std::move(result_);
    }

  private:
    void find_last_uses() {
        for (std::size_t i = 0; i < stage_.operations.size(); ++i)
            for (const int argument : stage_.operations[i].args)
                if (argument >= 0) last_use_[std::size_t(argument)] = int(i);
    }

    const Output* output_of(std::size_t operation) const {
        const auto found = std::ranges::find(stage_.outputs, int(operation), &Output::value);
        return found == stage_.outputs.end() ? nullptr : &*found;
    }

    void place(std::size_t i) {
        const Operation& o = stage_.operations[i];
        if (o.code == Code::constant) {
            places_[i] = {Operand::Kind::constant, 0, 0, int(result_.constants.size())};
            result_.constants.push_back(o.number);
            return;
        }
        if (o.code < Code::random) {
            places_[i] = input_operand(o);
            return;
        }
        RowOperation row{o.code, {}, {}, o.index};
        for (std::size_t k = 0; k < o.args.size(); ++k)
            if (o.args[k] >= 0) row.from[k] = places_[std::size_t(o.args[k])];
        // A register may be read and written by the same operation: cells do not mix.
        for (const int argument : o.args)
            if (argument >= 0 && last_use_[std::size_t(argument)] == int(i)) release(std::size_t(argument));
        const Output* output = output_of(i);
        places_[i] =
            output != nullptr ? Operand{Operand::Kind::output, 0, 0, output->array} : take_register();
        row.to = places_[i];
        result_.operations.push_back(row);
        if (output == nullptr && last_use_[i] < 0) release(i);
    }

    Operand take_register() {
        if (free_.empty()) free_.push_back(result_.registers++);
        const int index = free_.back();
        free_.pop_back();
        return {Operand::Kind::reg, 0, 0, index};
    }

    void release(std::size_t operation) {
        Operand& place = places_[operation];
        if (place.kind != Operand::Kind::reg || std::ranges::find(free_, place.index) != free_.end()) return;
        free_.push_back(place.index);
    }

    // Outputs that are inputs, or the same value for two arrays: a + 0 would lose the sign of -0, so
    // minimum(a, a).
    void copy_inputs() {
        for (const Output& output : stage_.outputs) {
            const Operand& value = places_[std::size_t(output.value)];
            if (value.kind == Operand::Kind::output && value.index == output.array) continue;
            result_.operations.push_back(
                {Code::minimum, {Operand::Kind::output, 0, 0, output.array}, {value, value, {}, {}}, 0});
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
