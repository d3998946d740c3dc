// The kernel of a convolution at all offsets of the cells from each other.
#pragma once

#include <array>
#include <vector>

#include "kernels/equation/program.h"

namespace stencil {
class ThreadPool;
}

namespace stencil::equation {

/// Rows of a table; a negative count means all.
struct TableRows {
    int first = 0, count = -1;
};

/// K dx^2 for a field of nx x ny cells, row-major over the torus (torus_length()) from offset 0 on; the
/// second half of each axis holds the negative offsets. An offset of exactly half a torus has both signs, so
/// its entry is their mean, or 0 with zeros outside. `scalars` are the program's scalars without global
/// values. Without threads the caller computes the table alone, with the same bits. Returns only the given
/// rows.
std::vector<double> kernel_table(const ConvolutionKernel& kernel,
                                 const std::array<Outside, 2>& outside,
                                 int nx,
                                 int ny,
                                 const std::vector<double>& scalars,
                                 ThreadPool* threads = nullptr,
                                 TableRows rows = {});

/// The scalars that a kernel depends on; its table changes only if they do.
std::vector<double> scalars_of_kernel(const ConvolutionKernel& kernel, const std::vector<double>& scalars);

}  // namespace stencil::equation
