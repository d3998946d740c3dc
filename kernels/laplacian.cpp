#include "kernels/laplacian.h"

#include "kernels/cell_update.h"

namespace stencil {
namespace {

template <class T>
T scaled(T value, double factor) {
    return T(double(value) * factor);
}

template <class T>
T edge_laplacian(FieldView<const T> u, double factor, Boundary boundary, int x, int y) {
    const Neighbourhood<T> n = neighbourhood(u, boundary, x, y);
    return laplacian_cell(Neighbourhood<T>{scaled(n.center, factor),
                                           scaled(n.north, factor),
                                           scaled(n.south, factor),
                                           scaled(n.west, factor),
                                           scaled(n.east, factor)});
}

template <class T>
void inner_row(FieldView<const T> u, double factor, int y, T* out) {
    const T* north = u.row(y - 1);
    const T* center = u.row(y);
    const T* south = u.row(y + 1);
    for (int x = 1; x < u.nx - 1; ++x)
        out[x] = laplacian_cell(Neighbourhood<T>{scaled(center[x], factor),
                                                 scaled(north[x], factor),
                                                 scaled(south[x], factor),
                                                 scaled(center[x - 1], factor),
                                                 scaled(center[x + 1], factor)});
}

}  // namespace

template <class T>
void read_field(FieldView<const T> state, double factor, FieldView<T> out, ThreadPool& threads) {
    threads.for_ranges(state.ny, [&](std::int64_t begin, std::int64_t end) {
        for (int y = int(begin); y < int(end); ++y)
            for (int x = 0; x < state.nx; ++x) out.at(x, y) = scaled(state.at(x, y), factor);
    });
}

template <class T>
void read_laplacian(
    FieldView<const T> state, double factor, Boundary boundary, FieldView<T> out, ThreadPool& threads) {
    threads.for_ranges(state.ny, [&](std::int64_t begin, std::int64_t end) {
        for (int y = int(begin); y < int(end); ++y) {
            const bool inner = y > 0 && y < state.ny - 1;
            if (inner) inner_row(state, factor, y, out.row(y));
            for (int x = 0; x < state.nx; x += inner && x == 0 && state.nx > 1 ? state.nx - 1 : 1)
                out.at(x, y) = edge_laplacian(state, factor, boundary, x, y);
        }
    });
}

template void read_field(FieldView<const float>, double, FieldView<float>, ThreadPool&);
template void read_field(FieldView<const double>, double, FieldView<double>, ThreadPool&);
template void read_laplacian(FieldView<const float>, double, Boundary, FieldView<float>, ThreadPool&);
template void read_laplacian(FieldView<const double>, double, Boundary, FieldView<double>, ThreadPool&);

}  // namespace stencil
