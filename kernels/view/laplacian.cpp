#include "kernels/view/laplacian.h"

#include "kernels/field/cell_update.h"

namespace stencil {

template <class T>
void read_field(FieldView<const T> state, double factor, FieldView<T> out, ThreadPool& threads) {
    threads.for_ranges(state.ny, [&](std::int64_t begin, std::int64_t end) {
        for (int y = int(begin); y < int(end); ++y)
            for (int x = 0; x < state.nx; ++x) out.at(x, y) = T(double(state.at(x, y)) * factor);
    });
}

template <class T>
void read_laplacian(FieldView<const T> u, Boundary boundary, FieldView<T> out, ThreadPool& threads) {
    threads.for_ranges(u.ny, [&](std::int64_t begin, std::int64_t end) {
        for (int y = int(begin); y < int(end); ++y)
            for (int x = 0; x < u.nx; ++x) out.at(x, y) = laplacian_cell(neighbourhood(u, boundary, x, y));
    });
}

template void read_field(FieldView<const float>, double, FieldView<float>, ThreadPool&);
template void read_field(FieldView<const double>, double, FieldView<double>, ThreadPool&);
template void read_laplacian(FieldView<const float>, Boundary, FieldView<float>, ThreadPool&);
template void read_laplacian(FieldView<const double>, Boundary, FieldView<double>, ThreadPool&);

}  // namespace stencil
