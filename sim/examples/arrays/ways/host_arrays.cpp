#include "sim/examples/arrays/ways/host_arrays.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

void draw(Random& random, float& value) {
    value = random.next_float();
}
void draw(Random& random, double& value) {
    value = random.next_double();
}

}  // namespace

template <class T>
AlignedBuffer<T> random_array(ExampleContext& context, Random& random, std::int64_t n) {
    AlignedBuffer<T> array{std::size_t(n)};
    in_parts(context, n, kSlowPart, [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t i = first; i < first + count; ++i) draw(random, array.data()[i]);
    });
    return array;
}

void require_host_memory(double bytes_per_element, std::int64_t n) {
    const double needed = bytes_per_element * double(n);
    const double free = double(query_host_memory().free_bytes);
    if (needed <= free) return;
    throw MachineError(
        fmt::format("not enough host memory: {} elements need {} and {} is free; {} elements fit",
                    n,
                    format_bytes(needed),
                    format_bytes(free),
                    std::int64_t(0.95 * free / bytes_per_element)));
}

template <class T>
double relative_error(ExampleContext& context, const T* got, const Exact<T>* exact, std::int64_t n) {
    std::mutex mutex;
    Exact<T> difference = 0, norm = 0;
    on_threads(context, n, [&](std::int64_t begin, std::int64_t end) {
        Exact<T> own_difference = 0, own_norm = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            const Exact<T> off = Exact<T>(got[i]) - exact[i];
            own_difference += off * off;
            own_norm += exact[i] * exact[i];
        }
        const std::lock_guard lock(mutex);
        difference += own_difference;
        norm += own_norm;
    });
    return double(norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference));
}

double relative_error(double got, long double exact) {
    const long double off = std::abs(got - exact);
    return double(exact != 0 ? off / std::abs(exact) : off);
}

template AlignedBuffer<float> random_array<float>(ExampleContext&, Random&, std::int64_t);
template AlignedBuffer<double> random_array<double>(ExampleContext&, Random&, std::int64_t);
template double relative_error<float>(ExampleContext&, const float*, const double*, std::int64_t);
template double relative_error<double>(ExampleContext&, const double*, const long double*, std::int64_t);

}  // namespace stencil
