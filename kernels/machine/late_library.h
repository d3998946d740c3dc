// Libraries that are loaded when they are first asked for: the program needs none of them to start.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

namespace stencil {

/// The first of them that the loader finds, for the rest of the process; null where there is none.
inline void* load_library(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    return nullptr;
}

/// Whether the library has it; the caller knows its type.
template <class Function>
bool find_symbol(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
}

/// It is not where the loader looks: something else may do.
struct MissingLibrary : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Its functions are found by LATE_FUNCTION.
class LateLibrary {
  public:
    /// `needed` is the clause that says so where it is missing.
    LateLibrary(std::string file, const std::string& needed) : file_(std::move(file)) {
        library_ = load_library({file_.c_str()});
        if (!library_) why_none_ = needed + ": " + dlerror();
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

}  // namespace stencil

/// A function of a library, of the type that its header gives it, found at the first call. Where a header
/// renames it by a macro (cublasCreate is cublasCreate_v2), so does this.
#define LATE_FUNCTION(library, name)                                                           \
    [] {                                                                                       \
        static const auto found = (library).function<decltype(&::name)>(LATE_NAME_TEXT(name)); \
        return found;                                                                          \
    }()
#define LATE_NAME_TEXT(name) #name
