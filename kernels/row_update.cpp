#include "kernels/row_update.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/row_update.cpp"
#include <hwy/foreach_target.h>
// Highway compiles the rest of this file once per instruction set.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void update(const RowUpdate<T>& row) {
    // No wider than the cache line that pads each row.
    const hn::CappedTag<T, 64 / sizeof(T)> d;
    const auto ratio = hn::Set(d, row.weights.ratio);
    const auto scale = hn::Set(d, row.weights.scale);
    for (int x = 0; x < row.n; x += int(hn::Lanes(d))) {
        const auto vertical = hn::Add(hn::Load(d, row.north + x), hn::Load(d, row.south + x));
        const auto horizontal = hn::Add(hn::LoadU(d, row.center + x - 1), hn::LoadU(d, row.center + x + 1));
        const auto sum = hn::MulAdd(ratio, hn::Load(d, row.center + x), hn::Add(vertical, horizontal));
        hn::Store(hn::Mul(scale, sum), d, row.out + x);
    }
}

void update_float(const RowUpdate<float>& row) {
    update(row);
}

void update_double(const RowUpdate<double>& row) {
    update(row);
}

const char* target_name() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(update_float);
HWY_EXPORT(update_double);
HWY_EXPORT(target_name);

void update_row(const RowUpdate<float>& row) {
    HWY_DYNAMIC_DISPATCH(update_float)(row);
}

void update_row(const RowUpdate<double>& row) {
    HWY_DYNAMIC_DISPATCH(update_double)(row);
}

const char* simd_target() {
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace stencil
#endif
