// The only translation unit with the implementation of stb_image_write.
#include <zlib.h>

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

// zlib compresses several times as fast as stb does. Levels above 3 take twice its time, for files that are
// smaller by a tenth or two.
unsigned char* compress_by_zlib(unsigned char* bytes, int count, int* compressed, int /*level*/) {
    constexpr int kLevel = 3;
    uLongf size = compressBound(uLong(count));
    auto* const to = static_cast<unsigned char*>(reallocate_or_throw(nullptr, size));
    if (compress2(to, &size, bytes, uLong(count), kLevel) != Z_OK) throw std::bad_alloc();
    *compressed = int(size);
    return to;
}

}  // namespace

#define STBIW_ZLIB_COMPRESS compress_by_zlib
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

// Set before main(), because it is a global variable and several threads may write pictures. Cells of few
// colours compress best unfiltered, in half the time.
[[maybe_unused]] const bool configured = [] {
    stbi_write_force_png_filter = 0;
    return true;
}();

}  // namespace
