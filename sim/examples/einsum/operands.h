// The operands of the example: random ones, or files.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "sim/examples/context.h"
#include "sim/examples/einsum/subscripts.h"
#include "sim/files/npy.h"

namespace stencil::einsum {

/// What is asked for, checked without reading or making any values.
struct EinsumTask {
    Contraction contraction;
    std::vector<std::string> files;  ///< none: random operands
    std::vector<DType> dtypes;       ///< of files, their own first
    std::uint64_t seed = 0;
    long long repetitions = 1;
    std::string subscripts;
};

/// Throws InputError.
EinsumTask einsum_task(const ExampleRequest& request);

/// All operands in one precision. Random ones come from one generator, one after the other, as
/// default_rng(seed).random(shape, dtype) makes them in NumPy.
template <class T>
std::vector<AlignedBuffer<T>> make_operands(const EinsumTask& task, ExampleContext& context);

template <class Array>
auto pointers_to(const std::vector<Array>& arrays) {
    std::vector<decltype(std::declval<const Array&>().data())> pointers;
    for (const auto& array : arrays) pointers.push_back(array.data());
    return pointers;
}

}  // namespace stencil::einsum
