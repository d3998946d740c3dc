#include "kernels/methods/spectral/fftw.h"

#include <utility>

namespace stencil {
namespace {

std::string other_file, other_file_f;

std::string file_to_load(const char* of_system, const std::string& other) {
    return other.empty() || load_library({of_system}) ? of_system : other;
}

}  // namespace

void set_fftw_files(std::string in_float64, std::string in_float32) {
    other_file = std::move(in_float64);
    other_file_f = std::move(in_float32);
}

const LazyLibrary& fftw() {
    static const LazyLibrary library(file_to_load("libfftw3.so.3", other_file),
                                     "FFTW is needed (libfftw3-double3 of Debian and Ubuntu)");
    return library;
}

const LazyLibrary& fftwf() {
    static const LazyLibrary library(file_to_load("libfftw3f.so.3", other_file_f),
                                     "FFTW is needed (libfftw3-single3 of Debian and Ubuntu)");
    return library;
}

std::mutex& fftw_planner() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace stencil
