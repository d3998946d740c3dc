// What is wrong with the cells that a kernel left behind, in one sentence for whoever wrote it.
#pragma once

#include <string>

#include "sim/user_kernel/guarded.h"

namespace stencil::user_kernel {

/// A launch, or several in a row, on one component's array. The texts are for the sentence.
template <class T>
struct Outcome {
    GuardedShape shape;
    const Cells<T>& before;      ///< what the launch read from
    const Cells<T>& after;       ///< the same memory after it
    const Cells<T>& made;        ///< what it wrote
    const Array<double>& right;  ///< what it should have written
    double tolerance = 0;        ///< of |made - right|
    int tile_x = 32, tile_y = 8;
    std::string component;  ///< "u", where there are several; else empty
    std::string boundary;   ///< "zero", ...

    /// Empty where nothing is wrong; cells of which the reference knows no finite value are not compared.
    std::string fault() const;
    /// Where the same launch makes something else another time; empty where it does not.
    std::string difference(const Cells<T>& again) const;
    /// The largest |made - right| of the cells with a right value.
    double largest_error() const;
};

}  // namespace stencil::user_kernel
