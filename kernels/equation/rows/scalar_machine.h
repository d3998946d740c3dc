// The scalar interpreter: one cell at a time. The reference for all executors; also evaluates inputs.
#pragma once

#include "kernels/equation/operations.h"

namespace stencil::equation {

/// Evaluates operations into `values`, which must have room. `input` returns the value of operations without
/// arguments, except constants.
template <class T, class Input>
void run_operations(const Operations& operations, T* values, Input&& input) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const Operation& o = operations[i];
        if (o.code == Code::constant) {
            values[i] = T(o.number);
        } else if (o.code < Code::add) {
            values[i] = input(o);
        } else {
            const auto of = [&](int k) {
                return o.args[std::size_t(k)] < 0 ? T(0) : values[o.args[std::size_t(k)]];
            };
            values[i] = row_of(o.code)->scalar.value.template of<T>(of(0), of(1), of(2), of(3));
        }
    }
}

}  // namespace stencil::equation
