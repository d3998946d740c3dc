// The Laplacian of a stored state, and the state as a field: both on the host.
#pragma once

#include "kernels/boundary.h"
#include "kernels/field_view.h"
#include "kernels/thread_pool.h"

namespace stencil {

/// out = state * factor, each cell rounded once.
template <class T>
void read_field(FieldView<const T> state, double factor, FieldView<T> out, ThreadPool& threads);

/// out = Laplacian of the field that read_field() gives.
template <class T>
void read_laplacian(
    FieldView<const T> state, double factor, Boundary boundary, FieldView<T> out, ThreadPool& threads);

}  // namespace stencil
