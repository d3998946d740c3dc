#include "kernels/methods/spectral/zero_jump.h"

#include <map>

#include "kernels/cpu/thread_pool.h"
#include "kernels/methods/spectral/cpu_jump.h"
#include "tests/support/catch.h"

namespace stencil::zero_jump {
namespace {

// The weights of the kernel of some steps along one axis, summed up over the other one, by absolute values.
std::map<int, double> kernel_of(double coefficient, int steps) {
    std::map<int, double> kernel{{0, 1.0}};
    for (int step = 0; step < steps; ++step) {
        std::map<int, double> next;
        for (const auto& [at, weight] : kernel) {
            next[at] += weight * (std::abs(1 - 4 * coefficient) + 2 * coefficient);
            next[at - 1] += weight * coefficient;
            next[at + 1] += weight * coefficient;
        }
        kernel = std::move(next);
    }
    return kernel;
}

}  // namespace

TEST_CASE("The kernel of many steps has nothing worth a rounding beyond its reach, and that is not far") {
    for (const double coefficient : {1e-3, 0.1, 0.2, 0.25, 0.3})
        for (const int steps : {1, 2, 7, 40, 300})
            for (const double least : {neglected<float>(), neglected<double>()}) {
                CAPTURE(coefficient, steps, least);
                const double reached = reach(coefficient, steps, least);
                double beyond = 0, all = 0;
                int needed = 0;
                const auto kernel = kernel_of(coefficient, steps);
                for (auto at = kernel.rbegin(); at != kernel.rend(); ++at) {
                    all += at->second;
                    if (at->first > reached) beyond += 2 * at->second;
                }
                double tail = 0;
                for (auto at = kernel.rbegin(); at != kernel.rend() && needed == 0; ++at) {
                    tail += 2 * at->second;
                    if (tail > least * all) needed = at->first;
                }
                REQUIRE(beyond <= least * all);
                REQUIRE(reached <= 1.2 * needed + 4);
            }
}

TEST_CASE("The odd extension is 0 beside a field, its negative mirror image beyond, and then repeats") {
    for (const int n : {1, 2, 7}) {
        const auto value = [&](int i) {
            const OddCell cell = odd_cell(i, n);
            return cell.sign == 0 ? 0 : cell.sign * (cell.cell + 1);
        };
        for (int i = 0; i < n; ++i) REQUIRE(value(i) == i + 1);
        REQUIRE(value(-1) == 0);
        REQUIRE(value(n) == 0);
        for (int i = -5 * n; i < 5 * n; ++i) {
            REQUIRE(value(-2 - i) == -value(i));
            REQUIRE(value(i + 2 * (n + 1)) == value(i));
        }
    }
}

TEST_CASE(
    "A jump under the zero boundary takes sine transforms only where they are fast or all else is slow") {
    for (const Device device : {Device::cpu, Device::cuda})
        for (const double least : {neglected<float>(), neglected<double>()})
            for (const int n : {1, 2, 30, 256, 1010, 1023, 2000, 2048, 8192, 10000, 32768}) {
                const Costs costs = costs_of(device, {n, n});
                Planner planner({n, n}, costs);
                std::map<Way, int> ways;
                for (long long steps = 1; steps < 1'000'000'000'000; steps *= 7)
                    for (const double coefficient : {1e-9, 0.2, 0.25, 0.4}) {
                        CAPTURE(int(device), least, n, steps, coefficient);
                        const Plan plan = planner.plan(coefficient, steps, least);
                        ++ways[plan.way];
                        const int modes = plan.along_x.count();
                        REQUIRE(modes >= 1);
                        REQUIRE((plan.way == Way::modes || modes > 30 || n <= 30 || steps < 1000));
                        if (plan.way != Way::tiles) continue;
                        REQUIRE(plan.x.length >= plan.x.own + 2 * plan.reach);
                        REQUIRE(plan.x.count * plan.x.own >= n);
                        REQUIRE((plan.x.count - 1) * plan.x.own < n);
                        REQUIRE(is_smooth(plan.x.length));
                    }
                CAPTURE(int(device), least, n);
                REQUIRE(ways[Way::modes] > 0);
                REQUIRE((ways[Way::tiles] > 0 || n <= 30));
                if (device == Device::cuda && n != 1023) REQUIRE(ways[Way::sines] == 0);
            }
}

TEST_CASE("A part of a field reads all that its tiles need, and nothing beyond the field") {
    Plan plan;
    plan.reach = 5;
    plan.y = {.count = 4, .own = 10, .length = 20};
    const auto read = [&](int first, int count) {
        const Lines lines = rows_read(plan, {first, count}, 36);
        return std::pair{lines.first, lines.count};
    };
    REQUIRE(read(0, 36) == std::pair{0, 36});
    REQUIRE(read(0, 4) == std::pair{0, 15});
    REQUIRE(read(12, 2) == std::pair{5, 20});
    REQUIRE(read(19, 2) == std::pair{5, 30});
    REQUIRE(read(30, 6) == std::pair{25, 11});
    REQUIRE(read(36, 0) == std::pair{0, 0});
}

TEST_CASE("Products have the same bits on any number of threads and for any number of rows") {
    constexpr int kRows = 23, kColumns = 71, kDepth = 301;
    const auto numbers = [](int count, unsigned seed) {
        std::vector<float> values;
        std::minstd_rand random(seed);
        for (int i = 0; i < count; ++i) values.push_back(float(random()) * 0x1p-31f - 0.5f);
        return values;
    };
    const std::vector<float> a = numbers(kRows * kDepth, 1), b = numbers(kDepth * kColumns, 2);
    const auto product_of = [&](int first, int rows, int threads) {
        ThreadPool pool(threads);
        std::vector<float> c(std::size_t(rows * kColumns));
        // b is stored by columns.
        product<float>(pool,
                       {a.data() + first * kDepth, kDepth, 1},
                       {b.data(), 1, kDepth},
                       {c.data(), kColumns, 1},
                       rows,
                       kColumns,
                       kDepth);
        return c;
    };
    const std::vector<float> whole = product_of(0, kRows, 1);
    for (int y = 0; y < kRows; ++y)
        for (int x = 0; x < kColumns; ++x) {
            double sum = 0;
            for (int k = 0; k < kDepth; ++k)
                sum += double(a[std::size_t(y * kDepth + k)]) * b[std::size_t(x * kDepth + k)];
            REQUIRE(std::abs(whole[std::size_t(y * kColumns + x)] - sum) < 1e-5);
        }
    REQUIRE(product_of(0, kRows, 3) == whole);
    const std::vector<float> some = product_of(6, 9, 2);
    REQUIRE(std::equal(some.begin(), some.end(), whole.begin() + 6 * kColumns));
}

}  // namespace stencil::zero_jump
