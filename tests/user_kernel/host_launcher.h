// A user kernel as host code, with a planted fault.
#pragma once

#include <functional>
#include <utility>

#include "sim/user_kernel/check.h"

namespace stencil_test {

/// Calls a function instead of launching a kernel.
template <class T>
class HostLauncher : public stencil::user_kernel::Launcher<T> {
  public:
    using Shape = stencil::user_kernel::GuardedShape;
    using Arrays = std::vector<stencil::user_kernel::Cells<T>>;
    using Kernel = std::function<void(const Shape&, Arrays& from, Arrays& to, int steps, double t)>;

    explicit HostLauncher(Kernel kernel) : kernel_(std::move(kernel)) {}
    void launch(const Shape& shape, Arrays& from, Arrays& to, int steps, double t) override {
        kernel_(shape, from, to, steps, t);
    }

  private:
    Kernel kernel_;
};

/// Makes a step of diffusion, u <- u + c lap(u), calling `cell(u, to, x, y, step)` for every cell.
template <class T>
T diffused(const stencil::user_kernel::GuardedShape& shape,
           const stencil::user_kernel::Cells<T>& u,
           int x,
           int y,
           double c,
           stencil::Boundary boundary = stencil::Boundary::zero) {
    const auto at = [&](int i, int j) {
        const int column = stencil::inside_index(boundary, i, shape.nx);
        const int row = stencil::inside_index(boundary, j, shape.ny);
        const bool outside = column == stencil::kOutside || row == stencil::kOutside;
        return outside ? T(0) : u[shape.at(column, row)];
    };
    const T around = at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y);
    return at(x, y) + T(c) * (around - 4 * at(x, y));
}

}  // namespace stencil_test
