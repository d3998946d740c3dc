#include "kernels/examples/arrays/reduce.h"

#include <set>

#include "tests/support/catch.h"
#include "tests/support/examples/arrays.h"
#include "tests/support/examples/on_device.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

namespace {

constexpr ReductionStrategy kGatherings[] = {ReductionStrategy::atomic_per_thread,
                                             ReductionStrategy::atomic_per_warp,
                                             ReductionStrategy::atomic_per_block,
                                             ReductionStrategy::two_launches,
                                             ReductionStrategy::last_block};

// Two input arrays and a result on the device.
template <class T>
class Terms {
  public:
    Terms(CudaStream& stream, Dice& dice, std::size_t n, std::size_t offset)
        : x_host_(unit_numbers<T>(dice, n, -1)),
          y_host_(unit_numbers<T>(dice, n, -1)),
          x_(stream, x_host_, offset),
          y_(stream, y_host_, offset),
          result_(stream, {T(0)}) {}

    T* x() const { return x_.data(); }
    T* y() const { return y_.data(); }
    std::int64_t count() const { return std::int64_t(x_host_.size()); }

    T* poisoned_result() {
        result_.set({std::numeric_limits<T>::quiet_NaN()});
        return result_.data();
    }
    T result() const { return result_.values().front(); }

    // Bounds the error as for sums of random numbers, with as many roundings as the longest chain, which is
    // one atomic addition after another.
    void require(T got, bool two) const {
        const ExactSum exact = exact_sum_of(x_host_.data(), two ? y_host_.data() : nullptr, x_host_.size());
        CAPTURE(count(), two);
        require_sum(got, exact, 8 * std::sqrt(double(count()) + 4));
    }

  private:
    std::vector<T> x_host_, y_host_;
    OnDevice<T> x_, y_, result_;
};

}  // namespace

TEMPLATE_TEST_CASE("CUDA sums and dot products are right in every way, at any length and address",
                   "",
                   float,
                   double) {
    using T = TestType;
    Dice dice;
    CudaStream stream;
    CudaReduction reduction(stream);
    CublasDot<T> cublas(stream);
    for (const std::size_t n : {1, 2, 31, 255, 257, 4099, 700'001})
        for (const std::size_t offset : {0, 1}) {
            Terms<T> terms(stream, dice, n, offset);
            for (const bool two : {false, true}) {
                const T* const y = two ? terms.y() : nullptr;
                for (const ReductionStrategy strategy : kGatherings) {
                    CAPTURE(int(strategy));
                    reduction.enqueue(strategy, terms.x(), y, terms.count(), terms.poisoned_result());
                    terms.require(terms.result(), two);
                }
                reduction.enqueue_for_host(terms.x(), y, terms.count());
                terms.require(T(reduction.wait()), two);
                reduction.record_for_host(terms.x(), y, terms.count());
                for (int i = 0; i < 3; ++i) {
                    reduction.enqueue_recorded();
                    terms.require(T(reduction.wait()), two);
                }
            }
            CubSum<T> cub(stream, terms.count());
            cub.enqueue(terms.x(), terms.count(), terms.poisoned_result());
            terms.require(terms.result(), false);
            cublas.enqueue(terms.x(), terms.y(), terms.count(), terms.poisoned_result());
            terms.require(terms.result(), true);
            terms.require(cublas.on_host(terms.x(), terms.y(), terms.count()), true);
        }
}

TEMPLATE_TEST_CASE("CUDA sums of a fixed order have the same bits in every run, in one launch or two",
                   "",
                   float,
                   double) {
    using T = TestType;
    Dice dice;
    CudaStream stream;
    CudaReduction reduction(stream);
    Terms<T> terms(stream, dice, 1'000'003, 0);
    for (const bool two : {false, true}) {
        const T* const y = two ? terms.y() : nullptr;
        std::set<T> results;
        for (int i = 0; i < 20; ++i) {
            for (const ReductionStrategy strategy :
                 {ReductionStrategy::two_launches, ReductionStrategy::last_block}) {
                reduction.enqueue(strategy, terms.x(), y, terms.count(), terms.poisoned_result());
                results.insert(terms.result());
            }
            reduction.enqueue_for_host(terms.x(), y, terms.count());
            results.insert(T(reduction.wait()));
        }
        REQUIRE(results.size() == 1);
    }
}

TEST_CASE("A CUDA sum of nothing is zero") {
    Dice dice;
    CudaStream stream;
    CudaReduction reduction(stream);
    Terms<double> terms(stream, dice, 1, 0);
    for (const ReductionStrategy strategy : kGatherings) {
        reduction.enqueue<double>(strategy, terms.x(), nullptr, 0, terms.poisoned_result());
        REQUIRE(terms.result() == 0);
    }
}

TEST_CASE("Examples on arrays predict their GPU memory, and refuse a limit below it before they begin") {
    const Machine machine = query_machine();
    const std::tuple<const char*, Options, std::uint64_t> runs[] = {
        {"elementwise", {{"size", "1003x517"}}, 400'000},
        {"add", {{"length", "518551"}}, 400'000},
        {"dot", {{"length", "1500007"}}, 9'500'000},
        {"reduce", {{"length", "1500007"}}, 9'500'000}};
    for (const auto& [name, options, too_little] : runs) {
        ExampleRequest asked = request(name, options, "cuda");
        limit_memory(asked, 100'000'000);
        const Report report = run_example(asked, machine, {});
        REQUIRE_FALSE(report.rows.empty());
        for (const ReportRow& row : report.rows) {
            CAPTURE(name, row.work, row.name, row.why_not, row.check, row.error);
            REQUIRE(row.measured());
            REQUIRE_FALSE(row.failed);
            REQUIRE(row.error < (row.dtype == DType::float32 ? 1e-3 : 1e-11));
            REQUIRE(row.gpu_memory->actual <= row.gpu_memory->predicted);
            REQUIRE(row.gpu_memory->actual > 0.9 * row.gpu_memory->predicted);
        }
        require_refused_below(asked, machine, too_little);
    }
}
