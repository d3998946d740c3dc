// Diffusion in plain loops, which the methods are compared with. It shares no code with them, boundaries
// included, so that errors there show.
#pragma once

#include "kernels/field/diffusion_params.h"
#include "sim/field/field.h"

namespace stencil_test {

/// Returns the field enlarged by one ghost cell on every side.
template <class T>
stencil::Array<T> with_ghosts(const stencil::Array<T>& u, stencil::Boundary boundary) {
    const int nx = u.nx(), ny = u.ny();
    const bool wraps = boundary == stencil::Boundary::periodic;
    const auto inside = [&](int i, int n) {
        if (i < 0) return wraps ? n - 1 : 0;
        if (i == n) return wraps ? 0 : n - 1;
        return i;
    };
    stencil::Array<T> wide(nx + 2, ny + 2);
    for (int y = -1; y <= ny; ++y)
        for (int x = -1; x <= nx; ++x) {
            const bool ghost = x < 0 || y < 0 || x == nx || y == ny;
            wide.at(x + 1, y + 1) =
                ghost && boundary == stencil::Boundary::zero ? T(0) : u.at(inside(x, nx), inside(y, ny));
        }
    return wide;
}

/// Written as a sum of differences, to have the same bits as the code under test.
template <class T>
stencil::Array<T> plain_laplacian(const stencil::Array<T>& u, stencil::Boundary boundary) {
    const stencil::Array<T> wide = with_ghosts(u, boundary);
    stencil::Array<T> result(u.nx(), u.ny());
    for (int y = 0; y < u.ny(); ++y)
        for (int x = 0; x < u.nx(); ++x) {
            const T c = u.at(x, y);
            result.at(x, y) = ((wide.at(x + 1, y) - c) + (wide.at(x + 1, y + 2) - c)) +
                              ((wide.at(x, y + 1) - c) + (wide.at(x + 2, y + 1) - c));
        }
    return result;
}

inline stencil::Array<double> plain_steps(stencil::Array<double> u,
                                          const stencil::DiffusionParams& params,
                                          long long steps) {
    for (; steps > 0; --steps) {
        const stencil::Array<double> laplacian = plain_laplacian(u, params.boundary);
        for (std::size_t i = 0; i < u.size(); ++i) u.cells()[i] += params.coefficient * laplacian.cells()[i];
    }
    return u;
}

}  // namespace stencil_test
