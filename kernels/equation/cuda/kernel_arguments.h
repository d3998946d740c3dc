// The kernels' arguments, in the layout that the generated text declares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/equation/input_values.h"
#include "kernels/equation/text/arguments.h"
#include "kernels/equation/text/cuda_text.h"

namespace stencil::equation {

/// The argument of cuda_text()'s kernels, and the lines (inputs per column or row) that it points to.
template <class T>
class KernelArguments {
  public:
    /// `pitch` is the row pitch of the arrays, in cells.
    KernelArguments(const Program& program, const EquationSetup& setup, std::ptrdiff_t pitch);

    /// The size of all lines together; 0 if there are none.
    std::size_t line_values() const { return std::size_t(lines_.count) * line_; }
    void pack_lines(const InputValues<T>& inputs, T* to) const;

    /// The first value of each ghost-cell line.
    std::vector<T> sides(const InputValues<T>& inputs) const;

    void set_step(long long step) {
        grid_.step = step;
        std::memcpy(words_.data(), &grid_, sizeof(grid_));
    }
    void set_arrays(std::span<T* const> arrays) { put(kArraysAt, arrays); }
    /// Sets the address of the lines that pack_lines() wrote.
    void set_lines(const T* lines) {
        words_[kArraysAt + program_.arrays.size()] = reinterpret_cast<std::uintptr_t>(lines + 1);
    }
    /// Sets the address of the global values.
    void set_globals(const T* globals) {
        words_[kArraysAt + program_.arrays.size() + 1] = reinterpret_cast<std::uintptr_t>(globals);
    }
    void set_uniforms(std::span<const T> uniforms) { put(kArraysAt + program_.arrays.size() + 2, uniforms); }

    const void* data() const { return words_.data(); }
    /// The size of what data() points to.
    static std::size_t bytes(const Program& program) {
        const std::size_t uniforms = std::max<std::size_t>(program.uniforms.outputs.size() * sizeof(T), 1);
        return (kArraysAt + program.arrays.size() + 2) * kWord + (uniforms + kWord - 1) / kWord * kWord;
    }

  private:
    static constexpr std::size_t kWord = sizeof(std::uint64_t);
    static constexpr std::size_t kArraysAt = offsetof(arguments::OneOfEach, arrays) / sizeof(std::uint64_t);

    template <class Span>
    void put(std::size_t at, const Span& values) {
        std::memcpy(&words_[at], values.data(), values.size_bytes());
    }

    const Program& program_;
    CudaLines lines_;
    int nx_, ny_;
    std::size_t line_;
    arguments::Grid grid_;
    std::vector<std::uint64_t> words_;  ///< ArgumentsOf the program's numbers of arrays and uniforms
};

}  // namespace stencil::equation
