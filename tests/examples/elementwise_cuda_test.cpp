#include "kernels/examples/arrays/elementwise.h"

#include "tests/support/catch.h"
#include "tests/support/examples/arrays.h"
#include "tests/support/examples/on_device.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

TEMPLATE_TEST_CASE(
    "CUDA expressions hold for every number, at any length and address, and write nothing else",
    "",
    float,
    double) {
    using T = TestType;
    CudaStream stream;
    check_expressions<T>([&](Map map, const std::vector<T>& x, std::size_t offset) {
        const OnDevice<T> from(stream, x, offset);
        const OnDevice<T> to(stream, std::vector<T>(x.size() + kBeyond, kUntouched<T>));
        cuda_map<T>(stream, map, from.data(), nullptr, to.data(), std::int64_t(x.size()));
        return to.values();
    });
}

TEMPLATE_TEST_CASE("Each CUDA pass does what its name says, for every number", "", float, double) {
    using T = TestType;
    CudaStream stream;
    for (const std::size_t offset : {0, 1})
        check_single_passes<T>([&](Map map, const std::vector<T>& a, const std::vector<T>& b) {
            const OnDevice<T> from_a(stream, a), from_b(stream, b, offset);
            const OnDevice<T> to(stream, std::vector<T>(a.size(), kUntouched<T>));
            cuda_map<T>(stream, map, from_a.data(), from_b.data(), to.data(), std::int64_t(a.size()));
            return to.values();
        });
}
