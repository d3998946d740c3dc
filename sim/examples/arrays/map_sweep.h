// How the ways of a piece of work compare from short arrays to long ones.
#pragma once

#include <span>
#include <string>

#include "sim/examples/arrays/ways/map_rows.h"

namespace stencil {

struct SweepTitle {
    std::string id, text;
};

/// Adds a curve of times over lengths of 1e3, 1e4 and so on to --longest, as far as memory allows, for each
/// way on each side that is asked for; of one input, with data in place. Throws CudaError, Cancelled.
template <class T>
void add_map_sweep(const ExampleRequest& request,
                   ExampleContext& context,
                   const SweepTitle& title,
                   std::span<const MapWay<T>> ways);

}  // namespace stencil
