// Diagnoses the output of a user's kernel in one sentence.
#pragma once

#include <string>

#include "sim/user_kernel/guarded.h"

namespace stencil::user_kernel {

/// Arrays of one component before and after one or more launches, with words for the message.
template <class T>
struct Outcome {
    GuardedShape shape;
    const Cells<T>& before;      ///< input of the launch
    const Cells<T>& after;       ///< the same memory after the launch
    const Cells<T>& made;        ///< output of the launch
    const Array<double>& right;  ///< correct output
    double tolerance = 0;        ///< largest |made - right| allowed
    int tile_x = 32, tile_y = 8;
    std::string component;  ///< such as "u" if there are several; else empty
    std::string boundary;   ///< such as "zero"

    /// Returns the fault, or an empty text. Cells whose correct value is not finite are not compared.
    std::string fault() const;
    /// Returns a message if a repeated launch gave other results; otherwise an empty text.
    std::string difference(const Cells<T>& again) const;
    /// Returns the largest |made - right| where the correct value is finite.
    double largest_error() const;
};

}  // namespace stencil::user_kernel
