#include "kernels/equation/cuda/kernel_arguments.h"

#include <algorithm>

namespace stencil::equation {

template <class T>
KernelArguments<T>::KernelArguments(const Program& program, const EquationSetup& setup, std::ptrdiff_t pitch)
    : program_(program),
      lines_(cuda_lines(program)),
      nx_(setup.nx),
      ny_(setup.ny),
      line_(std::size_t(std::max(nx_, ny_) + kCudaLineMargin)) {
    words_.resize(bytes(program) / kWord);
    grid_ = {nx_,
             ny_,
             setup.slab.first,
             setup.slab.whole() ? ny_ : setup.slab.field_rows,
             pitch,
             (long long)line_,
             setup.seed,
             0};
    set_step(0);
}

template <class T>
void KernelArguments<T>::pack_lines(const InputValues<T>& inputs, T* to) const {
    std::fill_n(to, line_values(), T(0));
    const auto columns = program_.columns.outputs.size(), rows = program_.rows.outputs.size();
    for (std::size_t i = 0; i < columns; ++i) std::copy_n(inputs.column(int(i)) - 1, nx_ + 2, to + i * line_);
    for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(inputs.row(int(i)) - 1, ny_ + 2, to + (columns + i) * line_);
    for (std::size_t array = 0; array < lines_.ghosts.size(); ++array)
        for (std::size_t side = 0; side < 4; ++side) {
            const int number = lines_.ghosts[array][side];
            if (number < 0) continue;
            const GhostLine<T>& ghosts = inputs.ghosts(int(array), side);
            T* alpha = to + std::size_t(number) * line_;
            std::ranges::copy(ghosts.alpha, alpha);
            std::ranges::copy(ghosts.beta, alpha + line_);
        }
}

template <class T>
std::vector<T> KernelArguments<T>::sides(const InputValues<T>& inputs) const {
    std::vector<T> values(std::size_t(lines_.count));
    for (std::size_t array = 0; array < lines_.ghosts.size(); ++array)
        for (std::size_t side = 0; side < 4; ++side) {
            const int number = lines_.ghosts[array][side];
            if (number < 0) continue;
            values[std::size_t(number)] = inputs.ghosts(int(array), side).alpha.front();
            values[std::size_t(number) + 1] = inputs.ghosts(int(array), side).beta.front();
        }
    return values;
}

template class KernelArguments<float>;
template class KernelArguments<double>;

}  // namespace stencil::equation
