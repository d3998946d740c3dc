#include "kernels/methods/spectral/fftw.h"

namespace stencil {

const LazyLibrary& fftw() {
    static const LazyLibrary library("libfftw3.so.3",
                                     "FFTW is needed (libfftw3-double3 of Debian and Ubuntu)");
    return library;
}

const LazyLibrary& fftwf() {
    static const LazyLibrary library("libfftw3f.so.3",
                                     "FFTW is needed (libfftw3-single3 of Debian and Ubuntu)");
    return library;
}

std::mutex& fftw_planner() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace stencil
