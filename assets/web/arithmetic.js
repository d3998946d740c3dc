// The functions of the table of operations (kernels/equation/operations.h) in float64, as scalar_machine.h has them.
// JavaScript has no multiply-add that is rounded once; results are rounded to float32 afterwards anyway.
const kBias = 1023, kMantissa = 52, kLeast = 2.2250738585072014e-308;
const words = new DataView(new ArrayBuffer(8));
const real_of = (a) => Number(a);
const negated = (a) => -a;
const magnitude = Math.abs;
const divide_rn = (a, b) => a / b;
const fma_rn = (a, b, c) => a * b + c;
const sqrt_rn = Math.sqrt;
const floor_of = Math.floor;
function scaled(a, n) {
  const whole = Math.min(Math.max(n, 2 - 2 * kBias), 2 * kBias), half = Math.floor(whole / 2);
  return a * 2 ** half * 2 ** (whole - half);
}
const normal_of = (a) => (a < kLeast ? a * 2 ** kMantissa : a);
function exponent_of(a) {
  words.setFloat64(0, normal_of(a));
  return (words.getUint32(0) >>> 20) - kBias - (a < kLeast ? kMantissa : 0);
}
function significand_of(a) {
  words.setFloat64(0, normal_of(a));
  words.setUint32(0, (words.getUint32(0) & 0xfffff) | 0x3ff00000);
  return words.getFloat64(0);
}
