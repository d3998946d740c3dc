#include "kernels/cpu/array_box.h"

#include <algorithm>

#include "kernels/cpu/thread_pool.h"

namespace stencil {

ArrayBox::ArrayBox(std::span<const std::int64_t> array,
                   std::span<const std::int64_t> begin,
                   std::span<const std::int64_t> lengths) {
    std::int64_t stride = 1;
    bool whole = true;  // all axes so far (from the last one on) are covered completely
    for (std::size_t i = array.size(); i-- > 0;) {
        start_ += begin[i] * stride;
        if (whole)
            run_ *= lengths[i];
        else
            axes_.push_back({lengths[i], stride});
        whole = whole && lengths[i] == array[i];
        values_ *= lengths[i];
        stride *= array[i];
    }
}

template <class Copy>
void ArrayBox::for_runs(std::int64_t begin, std::int64_t end, const Copy& copy) const {
    while (begin < end) {
        std::int64_t rest = begin / run_;
        const std::int64_t within = begin % run_;
        std::int64_t place = start_ + within;
        for (const Axis& axis : axes_) {
            place += rest % axis.length * axis.stride;
            rest /= axis.length;
        }
        const std::int64_t length = std::min(run_ - within, end - begin);
        copy(begin, place, length);
        begin += length;
    }
}

template <class T>
void ArrayBox::pack(ThreadPool& threads, const T* array, std::int64_t first, std::span<T> packed) const {
    threads.for_ranges(std::int64_t(packed.size()), [&](std::int64_t begin, std::int64_t end) {
        for_runs(
            first + begin, first + end, [&](std::int64_t number, std::int64_t place, std::int64_t length) {
                std::copy_n(array + place, length, packed.data() + (number - first));
            });
    });
}

template <class T>
void ArrayBox::unpack(ThreadPool& threads, std::span<const T> packed, std::int64_t first, T* array) const {
    threads.for_ranges(std::int64_t(packed.size()), [&](std::int64_t begin, std::int64_t end) {
        for_runs(
            first + begin, first + end, [&](std::int64_t number, std::int64_t place, std::int64_t length) {
                std::copy_n(packed.data() + (number - first), length, array + place);
            });
    });
}

template void ArrayBox::pack(ThreadPool&, const float*, std::int64_t, std::span<float>) const;
template void ArrayBox::pack(ThreadPool&, const double*, std::int64_t, std::span<double>) const;
template void ArrayBox::unpack(ThreadPool&, std::span<const float>, std::int64_t, float*) const;
template void ArrayBox::unpack(ThreadPool&, std::span<const double>, std::int64_t, double*) const;

}  // namespace stencil
