// Shared libraries loaded with dlopen at first use, so that the program starts without them.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

namespace stencil {

/// Loads the first of these libraries that exists; null if none does.
inline void* load_library(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    return nullptr;
}

/// Looks up a symbol; false if the library lacks it. The caller must know its type.
template <class Function>
bool find_symbol(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
}

/// A library is missing or too old; callers may fall back to another method.
struct MissingLibrary : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A lazily loaded library. LATE_FUNCTION looks up its functions.
class LazyLibrary {
  public:
    /// `needed` is the clause that the message for a missing library begins with.
    LazyLibrary(std::string file, const std::string& needed) : file_(std::move(file)) {
        library_ = load_library({file_.c_str()});
        if (!library_) why_none_ = needed + ": " + dlerror();
    }

    /// Why the library could not be loaded, one clause; empty if it was.
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

/// A library's function, with its type from the header, looked up at the first call. The nested macros expand
/// renamed names (cublasCreate is cublasCreate_v2).
#define LATE_FUNCTION(library, name)                                                           \
    [] {                                                                                       \
        static const auto found = (library).function<decltype(&::name)>(LATE_NAME_TEXT(name)); \
        return found;                                                                          \
    }()
#define LATE_NAME_TEXT(name) #name
