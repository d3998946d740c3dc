// Elementary functions as sequences of operations: argument reduction after Cody and Waite (1980) and
// polynomials. They have the same bits wherever the operations have. Errors are below 2 ulp (of erf
// below 1.2), for sin and cos as long as |x| < 10^4 in float32 and 10^9 in float64; beyond that they lose
// digits, and in the end leave [-1, 1].
//
// For the hardware's functions (Builder::hardware) exp(x) is scale(1, x log2(e)) and log(x) is
// exponent(x) ln(2), where `scale` and `exponent` take numbers that are no integers, as the GPU's exp2 and
// log2 do.
#pragma once

#include "kernels/equation/builder.h"

namespace stencil::equation {

class Elementary {
  public:
    Elementary(Builder& builder, bool float64) : b_(builder), float64_(float64) {}

    int exp(int x);
    int log(int x);
    int sin(int x) { return sine(x, 0); }
    int cos(int x) { return sine(x, 1); }
    int tanh(int x);
    int erf(int x);
    /// The angle of (x, y) in (-pi, pi].
    int atan2(int y, int x);
    /// a^b; where a < 0, |a|^b times `sign`.
    int power(int a, int b, int sign);

  private:
    /// log x as n ln 2 + tail and as their sum, with integer n; valid only if `positive`.
    struct Logarithm {
        int positive, n, tail, sum;
    };
    Logarithm logarithm(int x);
    /// 2^x and log2(x) of the hardware.
    int hardware_exp2(int x) { return b_.make(Code::scale, b_.constant(1), x); }
    int hardware_log2(int x) { return b_.make(Code::exponent, x); }
    /// |a|^b.
    int hardware_power(int a, int b);
    int exact_power(int a, int b);
    int sine(int x, double quarter_turns);
    int clamped(int x, double low, double high);
    /// exp(r) - 1, |r| <= 0.35.
    int small_expm1(int r);
    int atan_of_ratio(int a);

    Builder& b_;
    bool float64_;
};

}  // namespace stencil::equation
