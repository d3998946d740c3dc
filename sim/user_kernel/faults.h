// What is wrong with the cells that a kernel left behind, in one sentence for whoever wrote it.
#pragma once

#include <span>
#include <string>

#include "sim/user_kernel/guarded.h"
#include "sim/user_kernel/places.h"

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
};

/// Empty where nothing is wrong; cells of which the reference knows no finite value are not compared.
template <class T>
std::string fault_of(const Outcome<T>& outcome);

/// Where two runs of the same launches on the same field differ; empty where they do not.
template <class T>
std::string difference_of(const GuardedShape& shape, const Cells<T>& first, const Cells<T>& second);

/// The largest |made - right| of the cells with a right value.
template <class T>
double largest_error(const Outcome<T>& outcome);

}  // namespace stencil::user_kernel
