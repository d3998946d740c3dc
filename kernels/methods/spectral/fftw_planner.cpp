#include "kernels/methods/spectral/fftw_planner.h"

namespace stencil {

std::mutex& fftw_planner() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace stencil
