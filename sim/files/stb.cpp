// The only translation unit with the implementation of stb_image_write.
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// stb does not check for allocation failure and would write through a null pointer.
void* reallocate_or_throw(void* old, std::size_t bytes) {
    void* const memory = std::realloc(old, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

#define STBIW_MALLOC(bytes) reallocate_or_throw(nullptr, bytes)
#define STBIW_REALLOC(old, bytes) reallocate_or_throw(old, bytes)
#define STBIW_FREE(memory) std::free(memory)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace {

// Set before main(), because these are global variables and several threads may write pictures. Cells of few
// colours compress best unfiltered (in half the time), and levels above 5 gain little.
[[maybe_unused]] const bool configured = [] {
    stbi_write_force_png_filter = 0;
    stbi_write_png_compression_level = 5;
    return true;
}();

}  // namespace
