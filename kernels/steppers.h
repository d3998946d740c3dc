// The factories that the method table names; each is defined in the file of its method.
#pragma once

#include <memory>

#include "kernels/method.h"

namespace stencil {

std::unique_ptr<Stepper<double>> make_reference(const Execution&, FieldShape);

template <class T>
std::unique_ptr<Stepper<T>> make_cpu(const Execution&, FieldShape);

// CUDA, defined where the toolkit was found.
template <class T>
std::unique_ptr<Stepper<T>> make_tutorial(const Execution&, FieldShape);
template <class T>
std::unique_ptr<Stepper<T>> make_naive(const Execution&, FieldShape);
template <class T>
std::unique_ptr<Stepper<T>> make_tiled(const Execution&, FieldShape);

}  // namespace stencil
