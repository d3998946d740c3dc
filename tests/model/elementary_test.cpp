#include "kernels/equation/elementary.h"

#include <cmath>
#include <limits>

#include "kernels/equation/rows/scalar_machine.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil::equation;

namespace {

using Function = int (Elementary::*)(int);

template <class T>
class Evaluated {
  public:
    explicit Evaluated(Function f) {
        Builder builder;
        output_ = {(Elementary(builder, sizeof(T) == 8).*f)(builder.input(Code::x))};
        operations_ = finish(builder.operations(), output_);
    }
    T operator()(T x) {
        std::vector<T> values(operations_.size());
        run_operations(operations_, values.data(), [&](const Operation&) { return x; });
        return values[std::size_t(output_[0])];
    }

  private:
    std::vector<int> output_;
    Operations operations_;
};

// Returns the largest error in units in the last place of the exact value, or of 1 if `absolute`.
template <class T>
double worst_error(Function f, long double (*exact)(long double), double low, double high, bool absolute) {
    Evaluated<T> function(f);
    stencil_test::Dice dice;
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const T x = T(dice.uniform(low, high));
        const long double expected = exact(x);
        const T size = absolute ? T(1) : std::abs(T(expected));
        const double unit = double(std::nextafter(size, std::numeric_limits<T>::infinity()) - size);
        worst = std::max(worst, std::abs(double((long double)(function(x)) - expected)) / unit);
    }
    return worst;
}

}  // namespace

TEST_CASE("Elementary functions are as exact as they say") {
    struct Case {
        const char* name;
        Function function;
        long double (*exact)(long double);
        double low, high;
        bool absolute = false;
        bool float64_alone = false;
    };
    const auto c = GENERATE(values<Case>({
        {"exp", &Elementary::exp, expl, -87, 88},
        {"exp", &Elementary::exp, expl, -700, 709, false, true},
        {"log", &Elementary::log, logl, 1e-30, 10},
        {"log", &Elementary::log, logl, 0.9, 1.1},
        {"sin", &Elementary::sin, sinl, -1, 1},
        {"sin", &Elementary::sin, sinl, -1e4, 1e4, true},
        {"cos", &Elementary::cos, cosl, -1e4, 1e4, true},
        {"cos", &Elementary::cos, cosl, -1e9, 1e9, true, true},
        {"tanh", &Elementary::tanh, tanhl, -12, 12},
        {"tanh", &Elementary::tanh, tanhl, -0.2, 0.2},
    }));
    INFO(c.name << " from " << c.low << " to " << c.high);
    if (!c.float64_alone) CHECK(worst_error<float>(c.function, c.exact, c.low, c.high, c.absolute) < 4);
    CHECK(worst_error<double>(c.function, c.exact, c.low, c.high, c.absolute) < 4);
}

TEST_CASE("Elementary functions of what is not finite") {
    const auto check = [](auto zero) {
        using T = decltype(zero);
        constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
        Evaluated<T> exp(&Elementary::exp), log(&Elementary::log), sin(&Elementary::sin),
            tanh(&Elementary::tanh);
        CHECK(exp(infinity) == infinity);
        CHECK(exp(-infinity) == 0);
        CHECK(log(infinity) == infinity);
        CHECK(log(zero) == -infinity);
        CHECK(std::isnan(log(T(-1))));
        CHECK(std::isnan(sin(infinity)));
        CHECK(tanh(-infinity) == -1);
        for (Evaluated<T>* f : {&exp, &log, &sin, &tanh}) CHECK(std::isnan((*f)(nan)));
        constexpr T tiny = std::numeric_limits<T>::denorm_min();
        CHECK(log(tiny) == T(std::log(double(tiny))));
    };
    check(0.0f);
    check(0.0);
}

TEST_CASE("The angle of a point") {
    for (const double degrees :
         {0.0, 10.0, 45.0, 80.0, 90.0, 100.0, 135.0, 179.0, -1.0, -45.0, -90.0, -170.0}) {
        const double angle = degrees * 3.14159265358979323846 / 180, x = 2 * std::cos(angle),
                     y = 2 * std::sin(angle);
        Builder builder;
        std::vector<int> output{
            Elementary(builder, true).atan2(builder.input(Code::y), builder.input(Code::x))};
        const Operations operations = finish(builder.operations(), output);
        std::vector<double> values(operations.size());
        run_operations(
            operations, values.data(), [&](const Operation& o) { return o.code == Code::x ? x : y; });
        CHECK(std::abs(values[std::size_t(output[0])] - std::atan2(y, x)) < 1e-15);
    }
}
