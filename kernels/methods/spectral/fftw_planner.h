// FFTW's planner is not safe to call from two threads; executing plans is.
#pragma once

#include <mutex>

namespace stencil {

/// Held while a plan is made or destroyed, in either precision.
std::mutex& fftw_planner();

}  // namespace stencil
