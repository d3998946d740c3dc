// FFTW, loaded lazily: it is under the GPL and therefore not part of the program. Every call goes through
// FFTW or FFTWF.
#pragma once

#include <fftw3.h>

#include <cstddef>
#include <mutex>
#include <string>

#include "kernels/cpu/late_library.h"

namespace stencil {

/// Files to load if the system has no FFTW; must be set before the first use.
void set_fftw_files(std::string in_float64, std::string in_float32);

/// FFTW in float64.
const LazyLibrary& fftw();
/// FFTW in float32.
const LazyLibrary& fftwf();

#define FFTW(name) LATE_FUNCTION(::stencil::fftw(), name)
#define FFTWF(name) LATE_FUNCTION(::stencil::fftwf(), name)

/// Why FFTW cannot be used for cells of this size; empty if it can.
inline const std::string& why_no_fftw(std::size_t cell_bytes) {
    return (cell_bytes == sizeof(float) ? fftwf() : fftw()).why_none();
}

/// Must be held while a plan is made or destroyed, in either precision, because FFTW's planner is not
/// thread-safe. Executing plans is.
std::mutex& fftw_planner();

}  // namespace stencil
