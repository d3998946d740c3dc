// The run-time compiler of CUDA, libnvrtc, where the machine has it: found when it is first asked for, so
// that the program neither links nor needs it.
#pragma once

#include <string>
#include <vector>

namespace stencil::equation {

/// Why there is no run-time compiler, in one line; empty where there is one. Loads it.
const std::string& why_no_nvrtc();

/// Its version, 1000 major + 10 minor. Throws CudaError where there is none.
int nvrtc_version();

/// What a text is compiled with: what a cache of cubins goes by, beside the text and the version.
std::string nvrtc_options(int compute_capability);

struct Compiled {
    std::string cubin;
    std::string log;  ///< what ptxas says of each kernel: registers, spills
};

/// A header-free text as machine code of a compute capability (10 major + minor: 90). Takes tens of
/// milliseconds; no GPU is needed. Throws CudaError, also for the lack of libnvrtc.
Compiled compile_cuda(const std::string& text, int compute_capability);

/// What people write, with the compiler's own rounding: `cubin` is empty where the text has mistakes, and the
/// log tells them under the name of the file.
struct CudaSource {
    std::string text;
    std::string file;
    std::vector<std::string> options;  ///< beside the usual ones
};
Compiled try_compile_cuda(const CudaSource& source, int compute_capability);

}  // namespace stencil::equation
