// Lazily loaded libraries of the CUDA toolkit.
#pragma once

#include <string>

#include "kernels/cpu/late_library.h"

namespace stencil {

struct CudaLibrary : LazyLibrary {
    /// Loads "libNAME.so.VERSION" of this build's major version.
    CudaLibrary(const char* name, int version)
        : LazyLibrary(name + std::to_string(version),
                      "a library of the CUDA toolkit is needed where the loader looks (LD_LIBRARY_PATH)") {}
};

/// Why cuFFT cannot be used; empty if it can.
const std::string& why_no_cufft();

}  // namespace stencil
