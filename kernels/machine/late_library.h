// Libraries that are loaded when they are first asked for: the program needs none of them to start.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

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

}  // namespace stencil
