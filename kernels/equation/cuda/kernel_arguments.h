// The kernels' arguments, in the layout that the generated text declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/equation/input_values.h"
#include "kernels/equation/text/cuda_text.h"

namespace stencil::equation {

/// The argument of cuda_text()'s kernels, and the lines (inputs per column or row) that it points to.
template <class T>
class KernelArguments {
  public:
    /// `pitch` is that of the arrays, in cells.
    KernelArguments(const Program& program, const EquationSetup& setup, std::ptrdiff_t pitch);

    /// The size of all lines together; 0 if there are none.
    std::size_t line_values() const { return std::size_t(lines_.count) * line_; }
    void pack_lines(const InputValues<T>& inputs, T* to) const;

    /// The first value of each ghost-cell line.
    std::vector<T> sides(const InputValues<T>& inputs) const;

    void set_step(long long step);
    void set_arrays(std::span<T* const> arrays);
    /// Sets the address of the lines that pack_lines() wrote.
    void set_lines(const T* lines);
    void set_uniforms(std::span<const T> uniforms);

    const void* data() const { return words_.data(); }

  private:
    const Program& program_;
    CudaLines lines_;
    int nx_, ny_;
    std::size_t line_;
    std::vector<std::uint64_t> words_;
};

extern template class KernelArguments<float>;
extern template class KernelArguments<double>;

}  // namespace stencil::equation
