// FFTW, loaded when it is first asked for: it is under the GPL, and no part of the program. Every call goes
// through FFTW or FFTWF.
#pragma once

#include <fftw3.h>

#include <cstddef>
#include <mutex>
#include <string>

#include "kernels/machine/late_library.h"

namespace stencil {

/// In float64.
const LateLibrary& fftw();
/// In float32.
const LateLibrary& fftwf();

#define FFTW(name) LATE_FUNCTION(::stencil::fftw(), name)
#define FFTWF(name) LATE_FUNCTION(::stencil::fftwf(), name)

/// Empty where it is there for cells of so many bytes.
inline const std::string& why_no_fftw(std::size_t cell_bytes) {
    return (cell_bytes == sizeof(float) ? fftwf() : fftw()).why_none();
}

/// Held while a plan is made or destroyed, in either precision: FFTW's planner is not safe to call from two
/// threads. Executing plans is.
std::mutex& fftw_planner();

}  // namespace stencil
