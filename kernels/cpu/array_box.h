// A box (sub-array) of a host array, packed for copies to and from a device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stencil {

class ThreadPool;

/// A range along each axis of a C-order array. Its elements are numbered in C order too.
class ArrayBox {
  public:
    ArrayBox() = default;
    ArrayBox(std::span<const std::int64_t> array,
             std::span<const std::int64_t> begin,
             std::span<const std::int64_t> lengths);

    std::int64_t values() const { return values_; }

    /// Copies `packed.size()` elements of the box, from element `first` on, out of the array or back into it.
    template <class T>
    void pack(ThreadPool& threads, const T* array, std::int64_t first, std::span<T> packed) const;
    template <class T>
    void unpack(ThreadPool& threads, std::span<const T> packed, std::int64_t first, T* array) const;

  private:
    /// Calls copy(number of the first element, offset in the array, length) for each contiguous run.
    template <class Copy>
    void for_runs(std::int64_t begin, std::int64_t end, const Copy& copy) const;

    struct Axis {
        std::int64_t length, stride;
    };
    std::vector<Axis> axes_;  ///< the outer axes, over which the runs repeat
    std::int64_t run_ = 1;    ///< elements that are contiguous in memory
    std::int64_t start_ = 0;
    std::int64_t values_ = 1;
};

}  // namespace stencil
