#include <algorithm>
#include <utility>

#include "kernels/equation/rows/row_machine.h"

namespace stencil::equation {
namespace {

Operand input_operand(const Operation& o) {
    using enum Operand::Kind;
    switch (o.code) {
        case Code::uniform:
            return {uniform, 0, 0, o.index};
        case Code::global:
            return {global, 0, 0, o.index};
        case Code::column:
            return {column, o.dx, 0, o.index};
        case Code::row:
            return {row, 0, o.dy, o.index};
        default:
            return {load, o.dx, o.dy, o.index};
    }
}

bool commutes(Code code) {
    return code == Code::add || code == Code::multiply || code == Code::fma || code == Code::fnma ||
           code == Code::fms;
}

class Compiler {
  public:
    explicit Compiler(const Stage& stage)
        : stage_(stage),
          rows_(stage.operations.size()),
          places_(stage.operations.size()),
          last_use_(stage.operations.size(), -1) {}

    RowProgram compile() {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (stage_.operations[i].code >= Code::random) arrange(i);
        for (std::size_t i = 0; i < rows_.size(); ++i) place(i);
        copy_inputs();
        return std::move(result_);
    }

  private:
    // An operation with its arguments in the order of the vector interpreter.
    struct Row {
        Kernel kernel;
        int chained = -1;
        std::array<int, 4> args{-1, -1, -1, -1};
    };

    Source source_of(int value) const {
        if (value < 0) return Source::none;
        const Code code = stage_.operations[std::size_t(value)].code;
        const bool same =
            code == Code::constant || code == Code::uniform || code == Code::global || code == Code::row;
        return same ? Source::scalar : Source::cells;
    }

    // The operation, with value `previous` (-1: none) forwarded from the one before it. Commutative arguments
    // are sorted, to need fewer kernels.
    Row arranged(const Operation& o, int previous) const {
        Row row{{o.code, {}}, -1, o.args};
        auto& sources = row.kernel.sources;
        for (std::size_t k = 0; k < o.args.size(); ++k)
            sources[k] = o.args[k] >= 0 && o.args[k] == previous ? Source::previous : source_of(o.args[k]);
        if (commutes(o.code) && sources[0] > sources[1]) {
            std::swap(sources[0], sources[1]);
            std::swap(row.args[0], row.args[1]);
        }
        const auto found = std::ranges::find(kChainedKernels, row.kernel);
        if (found != kChainedKernels.end()) row.chained = int(found - kChainedKernels.begin());
        return row;
    }

    void arrange(std::size_t i) {
        const Operation& o = stage_.operations[i];
        Row& row = rows_[i];
        row = arranged(o, std::ranges::count(o.args, previous_) == 1 ? previous_ : -1);
        if (row.chained < 0) row = arranged(o, -1);
        for (std::size_t k = 0; k < row.args.size(); ++k)
            if (row.args[k] >= 0 && row.kernel.sources[k] != Source::previous)
                last_use_[std::size_t(row.args[k])] = int(i);
        previous_ = row.chained >= 0 ? int(i) : -1;
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
        const Row& row = rows_[i];
        RowOperation operation{row.kernel, row.chained, {}, {}, o.index};
        for (std::size_t k = 0; k < row.args.size(); ++k)
            if (row.args[k] >= 0) operation.from[k] = places_[std::size_t(row.args[k])];
        // The result may reuse an argument's register, because cells are independent.
        for (const int argument : row.args)
            if (argument >= 0 && last_use_[std::size_t(argument)] == int(i)) release(std::size_t(argument));
        if (const Output* output = output_of(i))
            places_[i] = {Operand::Kind::output, 0, 0, output->array};
        else if (last_use_[i] >= 0 || row.chained < 0)
            places_[i] = take_register();
        operation.to = places_[i];
        result_.operations.push_back(operation);
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

    // An output that is an input, or shares its value, needs a copy: minimum(a, a), because a + 0 would lose
    // the sign of -0.
    void copy_inputs() {
        for (const Output& output : stage_.outputs) {
            const Operand& value = places_[std::size_t(output.value)];
            if (value.kind == Operand::Kind::output && value.index == output.array) continue;
            const Source source = source_of(output.value);
            result_.operations.push_back({{Code::minimum, {source, source}},
                                          -1,
                                          {Operand::Kind::output, 0, 0, output.array},
                                          {value, value, {}, {}},
                                          0});
        }
    }

    const Stage& stage_;
    std::vector<Row> rows_;
    std::vector<Operand> places_;
    std::vector<int> last_use_;  ///< as an operand in memory
    std::vector<int> free_;
    int previous_ = -1;  ///< the previous operation, if its value can be forwarded
    RowProgram result_;
};

}  // namespace

RowProgram compile_rows(const Stage& stage) {
    return Compiler(stage).compile();
}

}  // namespace stencil::equation
