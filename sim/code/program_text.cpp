#include "sim/code/program_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "kernels/equation/operations.h"
#include "sim/text/parse.h"

namespace stencil::equation {
namespace {

struct Piece {
    std::string text;
    Precedence precedence = Precedence::whole;
};

// `a + (-2)*b` is `a - 2*b`. Brackets before a digit enclose the number alone.
std::string without_added_negatives(std::string text) {
    constexpr std::string_view kAdded = " + (-";
    for (std::size_t at = 0; (at = text.find(kAdded, at)) != text.npos; ++at) {
        if (!std::isdigit(static_cast<unsigned char>(text[at + kAdded.size()]))) continue;
        text.erase(text.find(')', at), 1);
        text.replace(at, kAdded.size(), " - ");
    }
    return text;
}

// Formats an operation on its arguments.
Piece piece_of(Code code, const std::array<Piece, 4>& arguments) {
    const Readable& readable = row_of(code)->readable;
    std::array<std::string, 4> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto& [text, precedence] = arguments[i];
        texts[i] = precedence >= readable.least[i] ? text : "(" + text + ")";
    }
    return {without_added_negatives(filled_in(readable.form, texts)), readable.precedence};
}

std::string number_text(double number) {
    return number < 0 ? fmt::format("({})", number) : fmt::format("{}", number);
}

std::string at(const std::string& name, int dx, int dy) {
    const auto offset = [](int by) { return by == 0 ? "0" : fmt::format("{:+}", by); };
    return dx == 0 && dy == 0 ? name : fmt::format("{}[{},{}]", name, offset(dx), offset(dy));
}

// Returns a prefix that gives none of these names when a digit follows it.
std::string free_prefix(std::string prefix, const std::vector<std::string>& names) {
    const auto taken = [&](const std::string& name) {
        return name.size() > prefix.size() && name.starts_with(prefix) &&
               std::isdigit(static_cast<unsigned char>(name[prefix.size()]));
    };
    while (std::ranges::any_of(names, taken)) prefix += '_';
    return prefix;
}

class Names {
  public:
    Names(const Program& program, const std::vector<std::string>& parameters)
        : scalars_{"t", "step", "dt", "past", "dx", "nx", "ny"} {
        scalars_.insert(scalars_.end(), parameters.begin(), parameters.end());
        for (const ArrayInfo& array : program.arrays) {
            arrays_.push_back(array.name);
            std::ranges::replace(arrays_.back(), ' ', '_');
        }
        std::vector<std::string> taken = arrays_;
        taken.insert(taken.end(), scalars_.begin(), scalars_.end());
        uniform_ = free_prefix("c", taken);
        value_ = free_prefix("t", taken);
        global_ = free_prefix("g", taken);
    }

    std::string array(int index, int dx = 0, int dy = 0) const {
        return at(arrays_[std::size_t(index)], dx, dy);
    }
    std::string scalar(int index) const {
        const auto i = std::size_t(index);
        return i < scalars_.size() ? scalars_[i] : global(index - int(scalars_.size()));
    }
    std::string global(int index) const { return fmt::format("{}{}", global_, index + 1); }
    std::string uniform(int index) const { return fmt::format("{}{}", uniform_, index + 1); }
    /// Returns a new name each time.
    std::string next_value() { return fmt::format("{}{}", value_, ++values_); }
    std::string column(int index, int dx) const { return at(fmt::format("of_x{}", index + 1), dx, 0); }
    std::string row(int index, int dy) const { return at(fmt::format("of_y{}", index + 1), 0, dy); }

    std::string input(const Operation& o) const {
        switch (o.code) {
            case Code::constant:
                return number_text(o.number);
            case Code::scalar:
                return scalar(o.index);
            case Code::uniform:
                return uniform(o.index);
            case Code::global:
                return global(o.index);
            case Code::column:
                return column(o.index, o.dx);
            case Code::row:
                return row(o.index, o.dy);
            case Code::x:
                return "x";
            case Code::y:
                return "y";
            case Code::random:
                return fmt::format("random({})", o.index);
            default:
                return array(o.index, o.dx, o.dy);
        }
    }

  private:
    std::vector<std::string> scalars_, arrays_;
    std::string uniform_, value_, global_;
    int values_ = 0;
};

// Formats operations as lines; values used once are inlined while the line stays readable.
class Lines {
  public:
    Lines(const Operations& operations, const std::vector<int>& results, Names& names)
        : operations_(operations),
          names_(names),
          uses_(operations.size()),
          results_(operations.size()),
          pieces_(operations.size()) {
        for (const Operation& o : operations)
            for (const int argument : o.args)
                if (argument >= 0) ++uses_[std::size_t(argument)];
        for (const int result : results) ++results_[std::size_t(result)];
        for (std::size_t i = 0; i < operations.size(); ++i) add(i);
    }

    void set(const std::string& name, int value) {
        text_ += fmt::format("  {} = {}\n", name, pieces_[std::size_t(value)].text);
    }
    std::string text() && { return std::move(text_); }

  private:
    static constexpr std::size_t kReadable = 64;

    void add(std::size_t i) {
        const Operation& o = operations_[i];
        if (o.code <= Code::random) {
            pieces_[i] = {names_.input(o)};
            return;
        }
        std::array<Piece, 4> arguments;
        for (std::size_t k = 0; k < arguments.size(); ++k)
            if (o.args[k] >= 0) arguments[k] = pieces_[std::size_t(o.args[k])];
        Piece piece = piece_of(o.code, arguments);
        const bool once = uses_[i] + results_[i] == 1;
        if (!once || (piece.text.size() > kReadable && results_[i] == 0)) {
            const std::string name = names_.next_value();
            text_ += fmt::format("  {} = {}\n", name, piece.text);
            piece = {name};
        }
        pieces_[i] = std::move(piece);
    }

    const Operations& operations_;
    Names& names_;
    std::vector<int> uses_, results_;  ///< how often each operation is used, and how often it is a result
    std::vector<Piece> pieces_;
    std::string text_;
};

// `code` is the operation that reads such an input.
std::string inputs_text(const std::string& title, const Inputs& inputs, Code code, Names& names) {
    if (inputs.outputs.empty()) return "";
    Lines lines(inputs.operations, inputs.outputs, names);
    for (std::size_t i = 0; i < inputs.outputs.size(); ++i)
        lines.set(names.input({.code = code, .index = int(i)}), inputs.outputs[i]);
    return fmt::format(
        "{}{}:\n{}\n", title, inputs.of_time ? ", in every step" : "", std::move(lines).text());
}

std::string stage_text(const std::string& title, const Stage& stage, const Program& program, Names& names) {
    std::vector<int> results;
    for (const Output& output : stage.outputs) results.push_back(output.value);
    Lines lines(stage.operations, results, names);
    for (const Output& output : stage.outputs) lines.set(names.array(output.array), output.value);
    std::string text =
        fmt::format("{}, operations: {}\n{}", title, operations_of_cell(stage), std::move(lines).text());
    const auto& [from, to, part] = stage.solve;
    for (std::size_t i = 0; i < to.size(); ++i)
        text +=
            program.linear[std::size_t(part)].kernels.empty()
                ? fmt::format("  {} solves for {} by transforms\n", names.array(to[i]), names.array(from[i]))
                : fmt::format(
                      "  {} = {} convolved by transforms\n", names.array(to[i]), names.array(from[0]));
    for (const Reduction& r : stage.reductions)
        text += fmt::format("  {} = the {} of {}{}\n",
                            names.global(r.global),
                            std::array{"sum", "mean", "least", "largest"}[std::size_t(r.kind)],
                            names.array(r.array),
                            r.cells < 0 ? " over the whole field" : " over the cells inside");
    return text + "\n";
}

}  // namespace

std::string program_text(const Program& program, const std::vector<std::string>& parameters) {
    Names names(program, parameters);
    std::string text;
    for (const Stage& stage : program.once)
        text += stage_text("Once, while parameters stay", stage, program, names);
    for (std::size_t i = 0; i < program.stages.size(); ++i)
        text += stage_text(
            fmt::format("Stage {} of {}", i + 1, program.stages.size()), program.stages[i], program, names);
    text += inputs_text("For all cells, in float64 and rounded once", program.uniforms, Code::uniform, names);
    text += inputs_text("Of a column", program.columns, Code::column, names);
    text += inputs_text("Of a row", program.rows, Code::row, names);
    text.pop_back();
    return text;
}

}  // namespace stencil::equation
