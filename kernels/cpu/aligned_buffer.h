// Host memory aligned to cache lines; large allocations use huge pages.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace stencil {

/// An owning, uninitialised host array that starts on a cache line.
template <class T>
class AlignedBuffer {
  public:
    static constexpr std::size_t kAlignment = 64;

    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t count) : count_(count) {
        const bool large = count * sizeof(T) >= 2 * kHugePage;
        const std::size_t alignment = large ? kHugePage : kAlignment;
        const std::size_t bytes = (count * sizeof(T) + alignment - 1) / alignment * alignment;
        data_.reset(static_cast<T*>(std::aligned_alloc(alignment, bytes)));
        if (!data_ && bytes > 0) throw std::bad_alloc();
#ifdef __linux__
        // Huge pages, because hardware prefetchers stop at page boundaries.
        if (large) ::madvise(data_.get(), bytes, MADV_HUGEPAGE);
#endif
    }

    T* begin() {
        return data_.get();
    }
    T* end() {
        return data_.get() + count_;
    }
    const T* begin() const {
        return data_.get();
    }
    const T* end() const {
        return data_.get() + count_;
    }
    T* data() {
        return data_.get();
    }
    const T* data() const {
        return data_.get();
    }
    std::size_t size() const {
        return count_;
    }

  private:
    static constexpr std::size_t kHugePage = std::size_t(1) << 21;

    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t count_ = 0;
};

}  // namespace stencil
