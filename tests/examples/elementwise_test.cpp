#include "kernels/examples/arrays/elementwise.h"

#include "kernels/cpu/thread_pool.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/examples/arrays.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

namespace {

template <class T>
std::vector<T> by_passes(ThreadPool& threads, const Expression& row, std::vector<T> x) {
    const T none = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> out(x.size(), none), first(x.size(), none), second(x.size(), none);
    T* const arrays[] = {x.data(), out.data(), first.data(), second.data()};
    for (const auto& [map, a, b, to] : row.passes)
        cpu_map<T>(threads, map, arrays[a], arrays[b], arrays[to], std::int64_t(x.size()));
    return out;
}

}  // namespace

TEMPLATE_TEST_CASE("Expressions hold for every number, at any length and address, and write nothing else",
                   "",
                   float,
                   double) {
    using T = TestType;
    ThreadPool threads(2);
    check_expressions<T>([&](Map map, std::vector<T> x, std::size_t offset) {
        const auto n = std::int64_t(x.size());
        x.insert(x.begin(), offset, kUntouched<T>);
        std::vector<T> y(std::size_t(n) + kBeyond, kUntouched<T>);
        cpu_map<T>(threads, map, x.data() + offset, nullptr, y.data(), n);
        return y;
    });
}

TEMPLATE_TEST_CASE("One pass gives what the separate passes give, with any number of threads",
                   "",
                   float,
                   double) {
    using T = TestType;
    Dice dice;
    ThreadPool one(1), three(3);
    for (const Expression& row : kExpressions) {
        CAPTURE(row.name);
        const std::vector<T> x = any_numbers<T>(dice, 2017);
        std::vector<T> fused(x.size()), with_three(x.size());
        cpu_map<T>(one, row.map, x.data(), nullptr, fused.data(), std::int64_t(x.size()));
        cpu_map<T>(three, row.map, x.data(), nullptr, with_three.data(), std::int64_t(x.size()));
        const std::vector<T> passes = by_passes(three, row, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            CAPTURE(i, x[i], fused[i], passes[i]);
            REQUIRE((fused[i] == with_three[i] || (std::isnan(fused[i]) && std::isnan(with_three[i]))));
            // Outside the vector functions' range a pass may use libm where the fused chain does not.
            REQUIRE(agrees(passes[i], fused[i], std::abs(x[i]) < 1000 ? 0 : 4));
        }
    }
}

TEMPLATE_TEST_CASE("Each pass does what its name says, for every number", "", float, double) {
    using T = TestType;
    ThreadPool threads(2);
    check_single_passes<T>([&](Map map, const std::vector<T>& a, const std::vector<T>& b) {
        std::vector<T> to(a.size(), kUntouched<T>);
        cpu_map<T>(threads, map, a.data(), b.data(), to.data(), std::int64_t(a.size()));
        return to;
    });
}
