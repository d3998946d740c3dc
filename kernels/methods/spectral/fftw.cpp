#include "kernels/methods/spectral/fftw.h"

namespace stencil {

const LateLibrary& fftw() {
    static const LateLibrary library("libfftw3.so.3",
                                     "FFTW is needed (libfftw3-double3 of Debian and Ubuntu)");
    return library;
}

const LateLibrary& fftwf() {
    static const LateLibrary library("libfftw3f.so.3",
                                     "FFTW is needed (libfftw3-single3 of Debian and Ubuntu)");
    return library;
}

std::mutex& fftw_planner() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace stencil
