#include "kernels/equation/text/script_text.h"

#include <array>
#include <cmath>

#include "kernels/equation/text/operation_text.h"

namespace stencil::equation {
namespace {

std::string script_number(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
    std::string text;
    append(text, "%.17g", number);
    return text;
}

std::string script_value(const Operation& o) {
    if (o.code == Code::constant) return script_number(o.number);
    if (o.code == Code::x) return "x";
    if (o.code == Code::y) return "y";
    if (o.code < Code::add) return "s[" + std::to_string(o.index) + "]";
    std::array<std::string, 4> args;
    for (std::size_t k = 0; k < args.size(); ++k)
        if (o.args[k] >= 0) args[k] = "v" + std::to_string(o.args[k]);
    return operation_text(o.code, args);
}

}  // namespace

std::string script_text(const Inputs& inputs) {
    std::string text = "(s, x, y) => {";
    for (std::size_t i = 0; i < inputs.operations.size(); ++i) {
        append(text, " const v%zu = ", i);
        text += script_value(inputs.operations[i]) + ";";
    }
    text += " return [";
    for (std::size_t i = 0; i < inputs.outputs.size(); ++i)
        text += (i == 0 ? "v" : ", v") + std::to_string(inputs.outputs[i]);
    return text + "]; }";
}

}  // namespace stencil::equation
