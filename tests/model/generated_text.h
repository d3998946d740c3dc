// Runs generated CUDA text on the CPU: compiled by the system's compiler, with CUDA's keywords emulated, and
// given the arguments of a launch.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cuda/cuda_field.h"
#include "kernels/equation/cuda/kernel_arguments.h"
#include "kernels/equation/text/fused_program.h"
#include "tests/model/typed_run.h"
#include "tests/support/catch.h"

namespace stencil_test {

inline constexpr const char* kCudaWords = R"(
#define __device__
#define __forceinline__ inline
#define __global__
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)
#define __fmaf_rn __builtin_fmaf
#define __fma_rn __builtin_fma
#define __fsqrt_rn __builtin_sqrtf
#define __dsqrt_rn __builtin_sqrt
#define __fdiv_rn(a, b) ((a) / (b))
#define __ddiv_rn(a, b) ((a) / (b))
#define floorf __builtin_floorf
#define floor __builtin_floor
#define fabsf __builtin_fabsf
#define fabs __builtin_fabs
static struct { int x, y, z; } blockIdx, threadIdx, blockDim;
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
template <class To, class From> static inline To bits(From from) { To to; __builtin_memcpy(&to, &from, sizeof to); return to; }
#define __float_as_int bits<int, float>
#define __int_as_float bits<float, int>
#define __double_as_longlong bits<long long, double>
#define __longlong_as_double bits<double, long long>
)";

/// Goes into `before`: emulates the threads of a block by fibers.
inline std::string warp_emulation() {
    return "#include \"" + reference_file("") + "/../support/warp_emulation.h\"\n";
}

class TextOnCpu {
  public:
    /// `before` precedes the definitions of CUDA's keywords.
    explicit TextOnCpu(const std::string& text, const std::string& before = "")
        : float32_(contains(text, "typedef float Real")) {
        std::ofstream(scratch_ / "kernels.cpp") << before << kCudaWords << text;
        const std::string library = (scratch_ / "kernels.so").string();
        const std::string command =
            fmt::format("c++ -std=c++17 -O1 -ffp-contract=off -w -shared -fPIC {}/kernels.cpp -o {}",
                        scratch_.path().string(),
                        library);
        REQUIRE(std::system(command.c_str()) == 0);
        library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        REQUIRE(library_ != nullptr);
    }
    ~TextOnCpu() { dlclose(library_); }
    TextOnCpu(const TextOnCpu&) = delete;
    TextOnCpu& operator=(const TextOnCpu&) = delete;

    bool is_float32() const { return float32_; }
    template <class Function>
    Function find(const std::string& name) const {
        const auto function = reinterpret_cast<Function>(dlsym(library_, name.c_str()));
        REQUIRE(function != nullptr);
        return function;
    }

  private:
    bool float32_;
    ScratchFolder scratch_;
    void* library_ = nullptr;
};

/// A program's arrays, in rows as a launch has them. Components have the values of run.start.
template <class T>
struct TextArrays {
    TextArrays(const stencil::equation::Program& program, const TypedRun& how)
        : run(how), pitch(stencil::cuda_pitch<T>(how.nx)) {
        for (std::size_t a = 0; a < program.arrays.size(); ++a) {
            buffers.emplace_back(std::size_t(pitch) * std::size_t(run.ny));
            arrays.push_back(buffers.back().data());
        }
        for (int c = 0; c < program.components; ++c) start(view(c), c);
    }

    void start(stencil::FieldView<T> field, int c) const {
        set_cells(field, [&](int x, int y) { return run.start(c, x, y); });
    }
    stencil::FieldView<T> view(int a) const { return {arrays[std::size_t(a)], run.nx, run.ny, pitch}; }
    /// Some arrays one after the other, row by row.
    std::vector<T> cells(const std::vector<int>& of) const {
        std::vector<T> all;
        for (const int a : of)
            for (int y = 0; y < run.ny; ++y) all.insert(all.end(), view(a).row(y), view(a).row(y) + run.nx);
        return all;
    }

    const TypedRun& run;
    int pitch;
    std::vector<stencil::AlignedBuffer<T>> buffers;
    std::vector<T*> arrays;
};

/// The arguments of `steps` steps from run.start.
template <class T>
class TextArguments {
  public:
    TextArguments(const stencil::equation::Equations& e,
                  const stencil::equation::FusedProgram& fused,
                  const TypedRun& run,
                  int steps)
        : program_(fused.program),
          setup_(setup_of(e, run)),
          arrays_(program_, run),
          arguments_(program_, setup_, arrays_.pitch) {
        // Setup stages are computed by the row executor.
        stencil::ThreadPool pool(1);
        stencil::equation::EquationStepper<T> rows(program_, setup_, pool);
        for (int c = 0; c < program_.components; ++c) arrays_.start(rows.component(c), c);
        rows.advance(1);
        for (const int a : fused.from)
            if (a >= program_.components) stencil::copy_cells(rows.array(a), arrays_.view(a));
        fill_lines(steps);
        arguments_.set_arrays(arrays_.arrays);
        arguments_.set_step(0);
    }

    const void* data() const { return arguments_.data(); }
    int pitch() const { return arrays_.pitch; }
    /// Values per step: lines and uniforms.
    std::size_t values() const { return arguments_.line_values() + program_.uniforms.outputs.size(); }
    std::vector<T> sides() const { return arguments_.sides(inputs_); }
    /// The components after the steps.
    std::vector<T> cells() const { return arrays_.cells(program_.next); }

  private:
    void fill_lines(int steps) {
        lines_.resize(values() * std::size_t(steps) + 1);
        for (int step = steps; step-- > 0;) {
            T* of_step = &lines_[std::size_t(step) * values()];
            inputs_.update(setup_, step, step * setup_.dt, true);
            if (arguments_.line_values() > 0) arguments_.pack_lines(inputs_, of_step);
            std::ranges::copy(inputs_.uniforms(), of_step + arguments_.line_values());
        }
        arguments_.set_lines(lines_.data());
        arguments_.set_uniforms(inputs_.uniforms());
    }

    const stencil::equation::Program& program_;
    stencil::equation::EquationSetup setup_;
    TextArrays<T> arrays_;
    stencil::equation::InputValues<T> inputs_{program_};
    stencil::equation::KernelArguments<T> arguments_;
    std::vector<T> lines_;
};

}  // namespace stencil_test
