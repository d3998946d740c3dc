// OpenBLAS, loaded at first use, because it starts threads when it is loaded.
#pragma once

#include <cblas.h>

#include "kernels/cpu/late_library.h"

namespace stencil {

inline const LazyLibrary& openblas() {
    static const LazyLibrary library("libopenblas.so.0", "OpenBLAS is needed");
    return library;
}

}  // namespace stencil

#define OPENBLAS(name) LATE_FUNCTION(::stencil::openblas(), name)
