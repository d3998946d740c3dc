// Boxes out of arrays in main memory, as they are sent to a device and back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stencil {

class ThreadPool;

/// A range along each axis of an array in C order. Its values, in C order too, are numbered from 0.
class ArrayBox {
  public:
    ArrayBox() = default;
    ArrayBox(std::span<const std::int64_t> array,
             std::span<const std::int64_t> begin,
             std::span<const std::int64_t> lengths);

    std::int64_t values() const { return values_; }

    /// Copies `packed.size()` of the box's values, from number `first` on, out of the array or into it.
    template <class T>
    void pack(ThreadPool& threads, const T* array, std::int64_t first, std::span<T> packed) const;
    template <class T>
    void unpack(ThreadPool& threads, std::span<const T> packed, std::int64_t first, T* array) const;

  private:
    /// Calls copy(number of the first value, place in the array, length) for each piece that lies in one row.
    template <class Copy>
    void for_runs(std::int64_t begin, std::int64_t end, const Copy& copy) const;

    struct Axis {
        std::int64_t length, stride;
    };
    std::vector<Axis> axes_;  ///< outside of the runs
    std::int64_t run_ = 1;    ///< values that lie together
    std::int64_t start_ = 0;
    std::int64_t values_ = 1;
};

}  // namespace stencil
