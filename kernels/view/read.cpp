// Reads a quantity of every cell on the CPU.

#include <algorithm>
#include <array>
#include <type_traits>

#include "kernels/view/cpu_view.h"
#include "kernels/view/quantity_rows.h"

namespace stencil {
namespace {

template <Quantity Q, class T, class U>
void read_run(const QuantitySource<T>& source, const CellRun& run, U* out) {
    if constexpr (std::is_same_v<QuantityValue<Q, T>, U>) {
        quantity_run<Q>(source, run, out);
    } else {
        std::array<QuantityValue<Q, T>, kRun> values;
        quantity_run<Q>(source, run, values.data());
        std::transform(values.data(), values.data() + run.count, out, [](auto value) { return U(value); });
    }
}

}  // namespace

template <class T, class U>
void read(const CpuView<T>& view, FieldView<U> out) {
    with_quantity(view.quantity, [&](auto quantity) {
        view.threads.for_ranges(out.ny, [&](std::int64_t begin, std::int64_t end) {
            for (int y = int(begin); y < int(end); ++y)
                for (int x = 0; x < out.nx; x += kRun)
                    read_run<quantity.value>(view.source, {x, y, std::min(kRun, out.nx - x)}, out.row(y) + x);
        });
    });
}

template void read(const CpuView<float>&, FieldView<float>);
template void read(const CpuView<float>&, FieldView<double>);
template void read(const CpuView<double>&, FieldView<float>);
template void read(const CpuView<double>&, FieldView<double>);

}  // namespace stencil
