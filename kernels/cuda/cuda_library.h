// Libraries of the CUDA toolkit, each loaded when it is first asked for: programs start without them.
#pragma once

#include <string>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/machine/late_library.h"

namespace stencil {

/// It is not where the loader looks: something else may do.
struct MissingLibrary : CudaError {
    using CudaError::CudaError;
};

class CudaLibrary {
  public:
    /// "libNAME.so." and the version that this is built with.
    CudaLibrary(const char* name, int version) : file_(name + std::to_string(version)) {
        library_ = load_library({file_.c_str()});
        if (library_) return;
        why_none_ = "a library of the CUDA toolkit is needed where the loader looks (LD_LIBRARY_PATH): ";
        why_none_ += dlerror();
    }

    /// One clause; empty where it is there.
    const std::string& why_none() const { return why_none_; }

    /// Throws MissingLibrary.
    template <class Function>
    Function function(const char* name) const {
        Function found = nullptr;
        if (!library_) throw MissingLibrary(why_none_);
        if (!find_symbol(library_, name, found)) throw MissingLibrary(file_ + " is too old: no " + name);
        return found;
    }

  private:
    std::string file_, why_none_;
    void* library_ = nullptr;
};

/// Empty where cuFFT is there, without which others step in.
const std::string& why_no_cufft();

}  // namespace stencil

/// A function of a library, of the type that the toolkit's header gives it, found at the first call. Where a
/// header renames it by a macro (cublasCreate is cublasCreate_v2), so does this.
#define CUDA_FUNCTION(library, name)                                                           \
    [] {                                                                                       \
        static const auto found = (library).function<decltype(&::name)>(CUDA_NAME_TEXT(name)); \
        return found;                                                                          \
    }()
#define CUDA_NAME_TEXT(name) #name
