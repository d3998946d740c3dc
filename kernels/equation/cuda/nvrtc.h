// NVRTC, CUDA's run-time compiler, loaded lazily: the program neither links nor requires it.
#pragma once

#include <string>
#include <vector>

namespace stencil::equation {

/// Why NVRTC cannot be used, in one line; empty if it can. Loads it.
const std::string& why_no_nvrtc();

/// Its version, 1000 major + 10 minor. Throws CudaError without NVRTC.
int nvrtc_version();

/// NVRTC compiles for this compute capability (90 is 9.0), to machine code or to PTX, which the driver
/// translates for its GPU.
struct CodeTarget {
    int capability = 90;
    bool ptx = false;
    /// Contracts, and uses functions of the hardware, for a fast program.
    bool fast = false;
};
/// Machine code for the default device; while it acts as an older GPU (gpu_facts.h), PTX of that one.
CodeTarget code_target();
/// Whether the compiler makes machine code for a compute capability. False without NVRTC.
bool nvrtc_compiles_for(int compute_capability);

/// The compiler options of typed equations, part of the key of cached cubins.
std::string nvrtc_options(CodeTarget target);

struct Compiled {
    std::string cubin;
    std::string log;  ///< ptxas' report on each kernel: registers, spills
};

/// Compiles a header-free text in tens of milliseconds and without a GPU. Throws CudaError, also if NVRTC is
/// missing.
Compiled compile_cuda(const std::string& text, CodeTarget target);

/// A user's source, compiled with the compiler's default rounding. On errors `cubin` is empty and the log
/// reports them under the file's name.
struct CudaSource {
    std::string text;
    std::string file;
    std::vector<std::string> options;  ///< in addition to the usual ones
};
Compiled try_compile_cuda(const CudaSource& source, int compute_capability);

}  // namespace stencil::equation
