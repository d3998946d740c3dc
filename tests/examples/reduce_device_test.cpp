// Sums and dot products on the CPU and the GPU.

#include "kernels/examples/arrays/reduce.h"

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_queue.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/examples/on_device.h"
#include "tests/support/examples/request.h"

namespace {

template <class T>
std::vector<T> unit_numbers(Dice& dice, std::size_t n, double low = 0) {
    std::vector<T> values(n);
    for (T& value : values) value = T(dice.uniform(low, 1));
    return values;
}

/// A sum in higher precision than T.
struct ExactSum {
    long double sum = 0;
    long double magnitude = 0;  ///< sum of |terms|
};

/// Sums x[i] y[i], or x[i] if y is null.
template <class T>
ExactSum exact_sum_of(const T* x, const T* y, std::size_t n) {
    ExactSum result;
    for (std::size_t i = 0; i < n; ++i) {
        const long double term = y ? (long double)(x[i]) * y[i] : (long double)(x[i]);
        result.sum += term;
        result.magnitude += std::abs(term);
    }
    return result;
}

/// Requires an error of at most what `roundings` between a term and the result can cause.
template <class T>
void require_sum(T got, const ExactSum& want, double roundings) {
    const long double bound = roundings * std::numeric_limits<T>::epsilon() / 2 * want.magnitude;
    CAPTURE(got, double(want.sum), double(bound));
    REQUIRE(std::abs((long double)(got)-want.sum) <= bound);
}

}  // namespace

#ifndef STENCILSCOPE_TESTS_CUDA

namespace {

constexpr std::size_t kLengths[] = {1, 2, 7, 31, 2047, 2048, 2049, 70001};

// Roundings of sums with four lanes: 64 additions per lane and block, then lanes, sums and blocks in pairs.
constexpr double kBlockRoundings = 300;

}  // namespace

TEMPLATE_TEST_CASE("Sums and dot products are off by no more than their roundings, at any length and address",
                   "",
                   float,
                   double) {
    using T = TestType;
    Dice dice;
    ThreadPool threads(3);
    for (const std::size_t n : kLengths)
        for (const std::size_t offset : {0, 1}) {
            CAPTURE(n, offset);
            const std::vector<T> x = unit_numbers<T>(dice, n + offset, -1),
                                 y = unit_numbers<T>(dice, n + offset, -1);
            const auto count = std::int64_t(n);
            const T* const from_x = x.data() + offset;
            const T* const from_y = y.data() + offset;
            const ExactSum sum = exact_sum_of<T>(from_x, nullptr, n), dot = exact_sum_of(from_x, from_y, n);
            require_sum(cpu_sum<T>(threads, from_x, nullptr, count), sum, kBlockRoundings);
            require_sum(cpu_sum(threads, from_x, from_y, count), dot, kBlockRoundings);
            require_sum(blas_sum<T>(2, from_x, nullptr, count), {sum.magnitude, sum.magnitude}, double(n));
            require_sum(blas_sum(2, from_x, from_y, count), dot, double(n + 1));
            require_sum(serial_sum(T(0), from_x, count), sum, double(n));
        }
    REQUIRE(cpu_sum<T>(threads, nullptr, nullptr, 0) == 0);
}

TEMPLATE_TEST_CASE("Sums in blocks have the same bits with any number of threads", "", float, double) {
    using T = TestType;
    Dice dice;
    const std::vector<T> x = unit_numbers<T>(dice, 100'003, -1), y = unit_numbers<T>(dice, 100'003, -1);
    ThreadPool one(1), two(2), five(5);
    const auto n = std::int64_t(x.size());
    const T sum = cpu_sum<T>(one, x.data(), nullptr, n), dot = cpu_sum(one, x.data(), y.data(), n);
    for (ThreadPool* const threads : {&one, &two, &five}) {
        REQUIRE(cpu_sum<T>(*threads, x.data(), nullptr, n) == sum);
        REQUIRE(cpu_sum(*threads, x.data(), y.data(), n) == dot);
    }
}

TEST_CASE("One term that is not a number makes every sum none") {
    Dice dice;
    ThreadPool threads(2);
    std::vector<float> x = unit_numbers<float>(dice, 5000);
    x[std::size_t(dice.integer(0, 4999))] = std::numeric_limits<float>::quiet_NaN();
    REQUIRE(std::isnan(cpu_sum<float>(threads, x.data(), nullptr, 5000)));
    REQUIRE(std::isnan(serial_sum(0.0f, x.data(), 5000)));
}

TEST_CASE("A float32 sum, one term after the other, loses digits that sums of sums keep") {
    Dice dice;
    ThreadPool threads(2);
    std::vector<float> x = unit_numbers<float>(dice, 4'000'000);
    // Next to 2^25, where floats are 4 apart, adding numbers below 1 has no effect. Pairwise sums lose only
    // one lane of one block, and up to half of 4 where two sums meet.
    x[0] = 0x1p25f;
    const auto n = std::int64_t(x.size());
    const long double exact = exact_sum_of<float>(x.data(), nullptr, x.size()).sum;
    REQUIRE(serial_sum(0.0f, x.data(), n) == x[0]);
    REQUIRE(double(std::abs(cpu_sum<float>(threads, x.data(), nullptr, n) - exact) / exact) < 5e-6);
}

#else

namespace {

constexpr ReductionStrategy kGatherings[] = {ReductionStrategy::atomic_per_thread,
                                             ReductionStrategy::atomic_per_warp,
                                             ReductionStrategy::atomic_per_block,
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

/// With this limit of GPU memory the example fails before its first row, and says how many elements would
/// fit; with that many (fewer than requested) it runs.
void require_refused_below(ExampleRequest asked, const Machine& machine, std::uint64_t limit) {
    limit_memory(asked, limit);
    int rows = 0;
    ExampleWatch watch;
    watch.news = [&](const Report&) { ++rows; };
    const std::string refusal = message_of<MachineError>([&] { run_example(asked, machine, watch); });
    CAPTURE(refusal);
    REQUIRE(refusal.find("not enough GPU memory") != std::string::npos);
    REQUIRE(refusal.find('\n') == std::string::npos);
    REQUIRE(rows == 0);
    const std::size_t at = refusal.rfind("; ");
    REQUIRE(at != std::string::npos);
    const std::string fit = refusal.substr(at + 2, refusal.find(' ', at + 2) - at - 2);
    if (fit == "0") return;
    const bool by_length = asked.example->name != "elementwise";
    asked.options.set(by_length ? "length" : "size", by_length ? fit : fit + "x1");
    for (const ReportRow& row : run_example(asked, machine, {}).rows) {
        REQUIRE(row.measured());
        REQUIRE(row.gpu_memory <= double(limit));
    }
}

}  // namespace

TEMPLATE_TEST_CASE("CUDA sums and dot products are right in every way, at any length and address",
                   "",
                   float,
                   double) {
    using T = TestType;
    Dice dice;
    CudaStream stream;
    CudaReduction reduction(stream);
    const LibrarySum<T> cublas = cublas_dot<T>(stream);
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
                CudaGraph graph(stream, [&] { reduction.enqueue_for_host(terms.x(), y, terms.count()); });
                for (int i = 0; i < 3; ++i) {
                    graph.launch(stream);
                    terms.require(T(reduction.wait()), two);
                }
            }
            cub_sum<T>(stream, terms.count())
                .enqueue(terms.x(), nullptr, terms.count(), terms.poisoned_result());
            terms.require(terms.result(), false);
            cublas.enqueue(terms.x(), terms.y(), terms.count(), terms.poisoned_result());
            terms.require(terms.result(), true);
            terms.require(cublas.on_host(terms.x(), terms.y(), terms.count()), true);
        }
}

TEMPLATE_TEST_CASE("CUDA sums of a fixed order have the same bits in every run", "", float, double) {
    using T = TestType;
    Dice dice;
    CudaStream stream;
    CudaReduction reduction(stream);
    Terms<T> terms(stream, dice, 1'000'003, 0);
    for (const bool two : {false, true}) {
        const T* const y = two ? terms.y() : nullptr;
        std::set<T> results;
        for (int i = 0; i < 20; ++i) {
            reduction.enqueue(
                ReductionStrategy::last_block, terms.x(), y, terms.count(), terms.poisoned_result());
            results.insert(terms.result());
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

TEST_CASE("Examples on arrays tell their GPU memory, and refuse a limit below it before they begin") {
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
            REQUIRE(row.gpu_memory > 0);
        }
        require_refused_below(asked, machine, too_little);
    }
}

#endif
