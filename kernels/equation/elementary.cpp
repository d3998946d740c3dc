#include "kernels/equation/elementary.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace stencil::equation {
namespace {

// A constant as a sum of two or three parts with few bits, so that integer multiples of the first are exact.
struct Parts {
    double high, middle, low;
};
constexpr Parts kLn2Float{0x1.62e4p-1, 0x1.7f7d1cp-20, 0};
constexpr Parts kLn2Double{0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45, 0};
constexpr Parts kHalfPiFloat{0x1.92p+0, 0x1.fb4p-12, 0x1.4442d2p-24};
constexpr Parts kHalfPiDouble{0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e037073p-69};

// 1/n! for n = first, first + step, ..., with alternating signs if `alternate`.
std::vector<double> factorials(int first, int step, int count, bool alternate) {
    std::vector<double> c;
    for (int i = 0, n = first; i < count; ++i, n += step)
        c.push_back((alternate && i % 2 == 1 ? -1 : 1) / std::tgamma(n + 1.0));
    return c;
}

}  // namespace

// Clamps to [low, high]; NaN stays NaN.
int Elementary::clamped(int x, double low, double high) {
    return b_.make(Code::minimum, b_.constant(high), b_.make(Code::maximum, b_.constant(low), x));
}

int Elementary::small_expm1(int r) {
    return b_.multiply(r, b_.polynomial(r, factorials(1, 1, float64_ ? 13 : 7, false)));
}

int Elementary::exp(int x) {
    if (b_.hardware()) return hardware_exp2(b_.multiply(x, b_.constant(std::numbers::log2e)));
    const Parts ln2 = float64_ ? kLn2Double : kLn2Float;
    const int y = float64_ ? clamped(x, -750, 710) : clamped(x, -105, 89);
    const int n = b_.make(Code::floor, b_.fma(y, b_.constant(std::numbers::log2e), b_.constant(0.5)));
    int r = b_.make(Code::fnma, n, b_.constant(ln2.high), y);
    r = b_.make(Code::fnma, n, b_.constant(ln2.middle), r);
    return b_.make(Code::scale, b_.add(small_expm1(r), b_.constant(1)), n);
}

auto Elementary::logarithm(int x) -> Logarithm {
    const Parts ln2 = float64_ ? kLn2Double : kLn2Float;
    const int zero = b_.constant(0), one = b_.constant(1);
    const int positive = b_.make(Code::less, zero, x);
    const int y = b_.select(positive, x, one);
    const int m = b_.make(Code::significand, y);
    const int upper = b_.make(Code::less, b_.constant(std::numbers::sqrt2), m);
    const int f = b_.select(upper, b_.multiply(b_.constant(0.5), m), m);
    const int n = b_.add(b_.make(Code::exponent, y), upper);
    // log f = 2 artanh((f - 1) / (f + 1)).
    const int s = b_.make(Code::divide, b_.subtract(f, one), b_.add(f, one));
    std::vector<double> c;
    for (int k = 0; k < (float64_ ? 11 : 6); ++k) c.push_back(2.0 / (2 * k + 1));
    const int tail = b_.fma(s, b_.polynomial(b_.multiply(s, s), c), b_.multiply(n, b_.constant(ln2.middle)));
    return {positive, n, tail, b_.fma(n, b_.constant(ln2.high), tail)};
}

int Elementary::log(int x) {
    if (b_.hardware()) return b_.multiply(hardware_log2(x), b_.constant(std::numbers::ln2));
    const auto [positive, n, tail, finite] = logarithm(x);
    const int zero = b_.constant(0);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const int large = b_.select(b_.make(Code::equal, x, b_.constant(infinity)), x, finite);
    const int pole = b_.select(b_.make(Code::equal, x, zero),
                               b_.constant(-infinity),
                               b_.constant(std::numeric_limits<double>::quiet_NaN()));
    return b_.select(positive, large, pole);
}

int Elementary::power(int a, int b, int sign) {
    const int zero = b_.constant(0);
    const int value = b_.hardware() ? hardware_power(a, b) : exact_power(a, b);
    return b_.select(b_.make(Code::less, a, zero), b_.multiply(sign, value), value);
}

// The logarithm of 0 or infinity becomes a huge finite number, which gives the right powers, also for b = 0.
int Elementary::hardware_power(int a, int b) {
    const int log2 = clamped(hardware_log2(b_.make(Code::abs, a)), -1e30, 1e30);
    return hardware_exp2(b_.multiply(b, log2));
}

// exp(b log |a|), with the logarithm as a sum of two numbers, so that large ones lose no digits. Those of 0
// and infinity are as in hardware_power().
int Elementary::exact_power(int a, int b) {
    const Parts ln2 = float64_ ? kLn2Double : kLn2Float;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const int zero = b_.constant(0), huge = b_.constant(float64_ ? 1e300 : 1e37);
    const int size = b_.make(Code::abs, a);
    const auto [positive, n, tail, sum] = logarithm(size);
    const int above = b_.select(b_.make(Code::equal, size, b_.constant(infinity)), huge, sum);
    const int none = b_.constant(std::numeric_limits<double>::quiet_NaN());
    const int pole = b_.select(b_.make(Code::equal, size, zero), b_.make(Code::negate, huge), none);
    const int log = b_.select(positive, above, pole);
    const int log_rest = b_.subtract(tail, b_.make(Code::fnma, n, b_.constant(ln2.high), sum));
    const int x = b_.multiply(b, log);
    const int x_rest = b_.fma(b, log_rest, b_.make(Code::fms, b, log, x));
    const int first = exp(x);
    const int small = b_.make(Code::less, b_.make(Code::abs, x), b_.constant(float64_ ? 709 : 88));
    return b_.select(small, b_.fma(first, x_rest, first), first);
}

int Elementary::sine(int x, double quarter_turns) {
    const Parts half_pi = float64_ ? kHalfPiDouble : kHalfPiFloat;
    const int n = b_.make(Code::floor, b_.fma(x, b_.constant(2 / std::numbers::pi), b_.constant(0.5)));
    int r = b_.make(Code::fnma, n, b_.constant(half_pi.high), x);
    r = b_.make(Code::fnma, n, b_.constant(half_pi.middle), r);
    r = b_.make(Code::fnma, n, b_.constant(half_pi.low), r);
    const int square = b_.multiply(r, r);
    const int sine = b_.multiply(r, b_.polynomial(square, factorials(1, 2, float64_ ? 9 : 5, true)));
    const int cosine = b_.polynomial(square, factorials(0, 2, float64_ ? 9 : 6, true));
    // The quadrant of x: odd ones use the cosine, the last two change the sign.
    const int quarters = b_.add(n, b_.constant(quarter_turns));
    const auto rest = [&](double of) {
        const int whole = b_.make(Code::floor, b_.multiply(quarters, b_.constant(1 / of)));
        return b_.make(Code::fnma, whole, b_.constant(of), quarters);
    };
    const int value = b_.select(rest(2), cosine, sine);
    return b_.select(b_.make(Code::less, rest(4), b_.constant(2)), value, b_.make(Code::negate, value));
}

int Elementary::tanh(int x) {
    const int twice = b_.add(x, x);
    const int one = b_.constant(1);
    const int y = float64_ ? clamped(twice, -50, 50) : clamped(twice, -25, 25);
    const int small = b_.make(Code::less, b_.make(Code::abs, y), b_.constant(0.34));
    const int expm1 = b_.select(small, small_expm1(y), b_.subtract(exp(y), one));
    return b_.make(Code::divide, expm1, b_.add(expm1, b_.constant(2)));
}

// Minimax polynomials: erf(x)/x - 1 in x^2 for |x| < 1; beyond, where 1 - erf(a) = exp(-q(a)), of q.
int Elementary::erf(int x) {
    static const std::vector<double> kInnerFloat{0.12837916591465431,
                                                 -0.37612627140440547,
                                                 0.11283600211815889,
                                                 -0.026854445581508075,
                                                 0.005189536461939261,
                                                 -0.0008020845698406905,
                                                 7.889119157487838e-05};
    static const std::vector<double> kOuterFloat{-0.00012529376488094705,
                                                 1.1292038558269037,
                                                 0.6341961195141304,
                                                 0.1069615044175255,
                                                 -0.023836514856059424,
                                                 0.0033602730009738256,
                                                 -0.00010176123426667591,
                                                 -6.434123164695096e-05,
                                                 1.2452752447533846e-05,
                                                 -7.845187368994946e-07};
    static const std::vector<double> kInnerDouble{0.1283791670955126,
                                                  -0.3761263890318375,
                                                  0.11283791670954885,
                                                  -0.026866170645077875,
                                                  0.005223977624828431,
                                                  -0.0008548326981425542,
                                                  0.0001205533113295582,
                                                  -1.4925595772180906e-05,
                                                  1.64610084778027e-06,
                                                  -1.6350396222864617e-07,
                                                  1.466032872274226e-08,
                                                  -1.137495573607015e-09,
                                                  5.960685338520971e-11};
    static const std::vector<double> kOuterDouble{
        2.939982971269444e-08,   1.1283788993604416,     0.6366208125185259,     0.10277058266621725,
        -0.019127561794975975,   -0.0002030451871144042, 0.001675836061369745,   -0.0005531641915437818,
        -2.141795164449646e-05,  0.00011043547579024848, -6.459530963030767e-05, 2.4216521134473753e-05,
        -6.764453569322684e-06,  1.4648567879730962e-06, -2.472018471564764e-07, 3.205574902425814e-08,
        -3.0929384293078878e-09, 2.0936262809716279e-10, -8.873654428502147e-12, 1.7716627344695677e-13};
    const int one = b_.constant(1), size = b_.make(Code::abs, x);
    const int ratio = b_.polynomial(b_.multiply(x, x), float64_ ? kInnerDouble : kInnerFloat);
    const int inner = b_.fma(x, ratio, x);
    const int a = clamped(size, 0, float64_ ? 6 : 4);
    const int q = b_.polynomial(a, float64_ ? kOuterDouble : kOuterFloat);
    const int outer = b_.subtract(one, exp(b_.make(Code::negate, q)));
    const int signed_outer =
        b_.select(b_.make(Code::less, x, b_.constant(0)), b_.make(Code::negate, outer), outer);
    return b_.select(b_.make(Code::less, size, one), inner, signed_outer);
}

// atan(a) for a in [0, 1].
int Elementary::atan_of_ratio(int a) {
    constexpr double eighth = 0.41421356237309503;  // tan(pi / 8)
    const int one = b_.constant(1);
    const int upper = b_.make(Code::less, b_.constant(eighth), a);
    const int s = b_.select(upper, b_.make(Code::divide, b_.subtract(a, one), b_.add(a, one)), a);
    std::vector<double> c;
    for (int k = 0; k < (float64_ ? 21 : 10); ++k) c.push_back((k % 2 == 1 ? -1.0 : 1.0) / (2 * k + 1));
    const int angle = b_.multiply(s, b_.polynomial(b_.multiply(s, s), c));
    return b_.select(upper, b_.add(angle, b_.constant(std::numbers::pi / 4)), angle);
}

int Elementary::atan2(int y, int x) {
    const int zero = b_.constant(0);
    const int ax = b_.make(Code::abs, x), ay = b_.make(Code::abs, y);
    const int steep = b_.make(Code::less, ax, ay);
    const int low = b_.select(steep, ax, ay), high = b_.select(steep, ay, ax);
    const int ratio =
        b_.make(Code::divide, low, b_.select(b_.make(Code::equal, high, zero), b_.constant(1), high));
    const int flat = atan_of_ratio(ratio);
    const int first = b_.select(steep, b_.subtract(b_.constant(std::numbers::pi / 2), flat), flat);
    const int half =
        b_.select(b_.make(Code::less, x, zero), b_.subtract(b_.constant(std::numbers::pi), first), first);
    return b_.select(b_.make(Code::less, y, zero), b_.make(Code::negate, half), half);
}

}  // namespace stencil::equation
