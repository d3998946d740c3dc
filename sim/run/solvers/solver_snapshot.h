// Everything that a solver goes on from, on the host: what a checkpoint on disk is made of.
#pragma once

#include <map>
#include <string>

#include "kernels/methods/inner_state.h"
#include "sim/field/state.h"

namespace stencil {

/// What a method keeps from call to call that the plain fields do not say. Both are empty where there is
/// nothing.
struct InnerState {
    std::map<std::string, Field> arrays;
    InnerNumbers numbers;
};

/// The cells as the method stores them, which is the array "stored"; null where it is another precision's or
/// size's.
template <class T>
const Array<T>* stored_array(const InnerState& inner, int nx, int ny) {
    const auto found = inner.arrays.find("stored");
    if (found == inner.arrays.end()) return nullptr;
    const Field& field = found->second;
    if (field.dtype() != dtype_of<T> || field.nx() != nx || field.ny() != ny) return nullptr;
    return &field.as<T>();
}

/// Portable: host arrays, integers and doubles, the same on every machine.
struct SolverSnapshot {
    State plain;          ///< in the solver's precision; any solver can go on from it
    std::string method;   ///< a row of the method table, by name
    std::string backend;  ///< and device
    InnerState inner;     ///< for that method alone
};

}  // namespace stencil
