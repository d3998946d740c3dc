// A stored state as a field, and a field's Laplacian: both on the host.
#pragma once

#include "kernels/cpu/thread_pool.h"
#include "kernels/field/boundary.h"
#include "kernels/field/field_view.h"

namespace stencil {

/// out = state * factor, each cell rounded once.
template <class T>
void read_field(FieldView<const T> state, double factor, FieldView<T> out, ThreadPool& threads);

/// out = Laplacian of u. `out` is not u.
template <class T>
void read_laplacian(FieldView<const T> u, Boundary boundary, FieldView<T> out, ThreadPool& threads);

}  // namespace stencil
