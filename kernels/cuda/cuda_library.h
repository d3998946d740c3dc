// Libraries of the CUDA toolkit, each loaded when it is first asked for: programs start without them.
#pragma once

#include <string>

#include "kernels/machine/late_library.h"

namespace stencil {

struct CudaLibrary : LateLibrary {
    /// "libNAME.so." and the version that this is built with.
    CudaLibrary(const char* name, int version)
        : LateLibrary(name + std::to_string(version),
                      "a library of the CUDA toolkit is needed where the loader looks (LD_LIBRARY_PATH)") {}
};

/// Empty where cuFFT is there, without which others step in.
const std::string& why_no_cufft();

}  // namespace stencil
