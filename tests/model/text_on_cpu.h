// Compiles generated CUDA text for the CPU by the system's compiler, with CUDA's keywords emulated.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"

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
            fmt::format("c++ -std=c++20 -O1 -ffp-contract=off -w -shared -fPIC {}/kernels.cpp -o {}",
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

}  // namespace stencil_test
