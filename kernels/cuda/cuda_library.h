// Libraries of the CUDA toolkit, each loaded at its first use, so that the program starts without them.
#pragma once

#include <string>

#include "kernels/machine/late_library.h"

namespace stencil {

struct CudaLibrary : LateLibrary {
    /// Loads "libNAME.so.VERSION", with the major version that this build was compiled against.
    CudaLibrary(const char* name, int version)
        : LateLibrary(name + std::to_string(version),
                      "a library of the CUDA toolkit is needed where the loader looks (LD_LIBRARY_PATH)") {}
};

/// Why cuFFT cannot be used; empty if it can. Without it the callers take another method.
const std::string& why_no_cufft();

}  // namespace stencil
