#include "kernels/examples/arrays/elementwise.h"

#include "kernels/cuda/cuda_queue.h"
#include "tests/support/catch.h"
#include "tests/support/examples/arrays.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

namespace {

constexpr std::size_t kBeyond = 5;  // elements behind the output that must stay as they are

template <class T>
constexpr T kUntouched = T(-123.25);

// An array on the device that begins so many elements behind an aligned address.
template <class T>
class OnDevice {
  public:
    OnDevice(CudaStream& stream, const std::vector<T>& values, std::size_t offset)
        : stream_(stream),
          memory_((values.size() + offset) * sizeof(T)),
          offset_(offset),
          count_(values.size()) {
        enqueue_to_device(data(), values.data(), count_ * sizeof(T), stream);
        stream.synchronize();
    }

    T* data() const { return static_cast<T*>(memory_.data()) + offset_; }
    std::vector<T> values() const {
        std::vector<T> result(count_);
        enqueue_to_host(result.data(), data(), count_ * sizeof(T), stream_);
        stream_.synchronize();
        return result;
    }

  private:
    CudaStream& stream_;
    CudaMemory memory_;
    std::size_t offset_, count_;
};

template <class T>
void check_expressions() {
    Dice dice;
    CAPTURE(dice.seed);
    CudaStream stream;
    for (const ExpressionRow& row : expressions())
        for (const std::size_t n : {1, 2, 3, 7, 16, 17, 1003, 4099})
            for (const std::size_t offset : {0, 1}) {
                const std::vector<T> x = any_numbers<T>(dice, n);
                const OnDevice<T> from(stream, x, offset);
                const OnDevice<T> to(stream, std::vector<T>(n + kBeyond, kUntouched<T>), 0);
                cuda_elementwise(stream, row.expression, from.data(), to.data(), std::int64_t(n));
                const std::vector<T> y = to.values();
                for (std::size_t i = 0; i < n; ++i) {
                    CAPTURE(row.name, n, offset, i, x[i], y[i]);
                    REQUIRE(agrees(y[i], expected(row.expression, x[i]), 5));
                }
                for (std::size_t i = n; i < y.size(); ++i) REQUIRE(y[i] == kUntouched<T>);
            }
}

template <class T>
void check_passes() {
    Dice dice;
    CAPTURE(dice.seed);
    CudaStream stream;
    const std::vector<T> a = any_numbers<T>(dice, 777), b = any_numbers<T>(dice, 777);
    const auto check = [&](Pass pass, double units, const auto& want) {
        for (const std::size_t offset : {0, 1}) {
            const OnDevice<T> from_a(stream, a, 0), from_b(stream, b, offset);
            const OnDevice<T> to(stream, std::vector<T>(a.size(), kUntouched<T>), 0);
            cuda_pass<T>(stream, pass, from_a.data(), from_b.data(), to.data(), std::int64_t(a.size()));
            const std::vector<T> got = to.values();
            for (std::size_t i = 0; i < a.size(); ++i) {
                CAPTURE(int(pass), i, a[i], b[i], got[i]);
                REQUIRE(agrees(got[i], want(a[i], b[i]), units));
            }
        }
    };
    check(Pass::twice, 0, [](T x, T) { return T(2 * x); });
    check(Pass::plus_one, 0, [](T x, T) { return T(x + 1); });
    check(Pass::sine, 4, [](T x, T) { return std::sin((long double)(x)); });
    check(Pass::cosine, 4, [](T x, T) { return std::cos((long double)(x)); });
    check(Pass::square, 0, [](T x, T) { return T(x * x); });
    check(Pass::exponential, 4, [](T x, T) {
        const long double y = std::exp((long double)(x));
        return y > std::numeric_limits<T>::max() ? std::numeric_limits<long double>::infinity() : y;
    });
    check(Pass::choose, 0, [](T x, T) { return x > T(0.5) ? T(2 * x) : T(x / 2); });
    check(Pass::product, 0, [](T x, T y) { return T(x * y); });
    check(Pass::sum, 0, [](T x, T y) { return T(x + y); });
}

}  // namespace

TEST_CASE("CUDA expressions hold for every number, at any length and address, and write nothing else") {
    check_expressions<float>();
    check_expressions<double>();
}

TEST_CASE("Each CUDA pass does what its name says, for every number") {
    check_passes<float>();
    check_passes<double>();
}

TEST_CASE("elementwise and add predict their GPU memory, and refuse a limit below it before they begin") {
    const Machine machine = query_machine();
    const std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>> examples = {
        {"elementwise", {{"size", "1003x517"}}}, {"add", {{"length", "518551"}}}};
    for (const auto& [name, options] : examples) {
        ExampleRequest asked = request(name, options, "cuda");
        asked.memory_limit = 100'000'000;
        const Report report = run_example(asked, machine, {});
        REQUIRE_FALSE(report.rows.empty());
        for (const ReportRow& row : report.rows) {
            CAPTURE(row.work, row.name, row.check, row.error);
            REQUIRE(row.measured());
            REQUIRE_FALSE(row.failed);
            REQUIRE(row.gpu_memory->actual <= row.gpu_memory->predicted);
            REQUIRE(row.gpu_memory->actual > 0.9 * row.gpu_memory->predicted);
        }
        require_refused_below(asked, machine, 400'000);
    }
}
