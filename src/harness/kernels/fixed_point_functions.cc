#include "src/harness/kernels/fixed_point_functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/harness/kernels/fixed_point.h"

namespace stowage::harness {
namespace {

constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();

// 1 as a number with two and with three integer bits.
constexpr int32_t kOneQ2 = 1 << 29;
constexpr int32_t kOneQ3 = 1 << 28;

// x * 2^left: more integer bits become fewer. What no longer fits is the
// nearest that does.
int32_t SaturatingShiftLeft(int32_t x, int left) {
  const int64_t shifted = int64_t{x} * (int64_t{1} << left);
  return static_cast<int32_t>(std::clamp<int64_t>(shifted, kMin, kMax));
}

// exp(x) of an x in [-1/4, 0), Q0 to Q0: the Taylor polynomial of fourth degree
// around -1/8.
int32_t ExpOfSmall(int32_t x) {
  constexpr int32_t kExpOfMinusEighth = 1895147668;
  constexpr int32_t kThird = 715827883;
  const int32_t t = x + (1 << 28);
  const int32_t t2 = DoublingHighMul(t, t);
  const int32_t t3 = DoublingHighMul(t2, t);
  const int32_t t4 = DoublingHighMul(t2, t2);
  // t^4/24 + t^3/6 + t^2/2 = ((t^4/4 + t^3)/3 + t^2)/2.
  const int32_t cubic = DoublingHighMul(RoundingShift(t4, 2) + t3, kThird);
  const int32_t higher = RoundingShift(cubic + t2, 1);
  return kExpOfMinusEighth + DoublingHighMul(kExpOfMinusEighth, t + higher);
}

// 1 / ((1 + x) / 2) in Q2, of an x in [0, 1] in Q0: three steps of
// Newton-Raphson from the best linear guess, 48/17 - 32/17 of the denominator.
int32_t ReciprocalOfHalfOnePlus(int32_t x) {
  constexpr int32_t k48Over17 = 1515870810;
  constexpr int32_t kMinus32Over17 = -1010580540;
  const auto half = static_cast<int32_t>((int64_t{x} + int64_t{kMax} + 1) / 2);
  int32_t guess = k48Over17 + DoublingHighMul(half, kMinus32Over17);
  for (int i = 0; i < 3; ++i) {
    const int32_t error = kOneQ2 - DoublingHighMul(half, guess);
    guess += SaturatingShiftLeft(DoublingHighMul(guess, error), 2);
  }
  return guess;
}

// 1 / (1 + x) and (1 - x) / (1 + x), Q0 to Q0, of an x in [0, 1].
int32_t OneOverOnePlus(int32_t x) {
  return SaturatingShiftLeft(ReciprocalOfHalfOnePlus(x), 1);
}
int32_t OneMinusOverOnePlus(int32_t x) {
  return SaturatingShiftLeft(ReciprocalOfHalfOnePlus(x) - kOneQ2, 2);
}

int LeadingZeros(uint32_t x) {
  int zeros = 0;
  for (uint32_t bit = 1U << 31; bit > 0 && (x & bit) == 0; bit >>= 1) ++zeros;
  return zeros;
}

}  // namespace

int32_t ExpOfNegative(int32_t x, int integer_bits) {
  // exp(-2^i) in Q0 for i = -2, -1, ... 4.
  constexpr int32_t kExpOfPower[] = {
      1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  if (x == 0) return kMax;
  const int quarter_bit = 29 - integer_bits;
  const int32_t quarter = 1 << quarter_bit;
  // x = small - rest, with small in [-1/4, 0) and rest a multiple of 1/4.
  const int32_t small = (x & (quarter - 1)) - quarter;
  const int32_t rest = small - x;
  int32_t result = ExpOfSmall(small * (1 << integer_bits));
  for (int i = 0; quarter_bit + i < 31; ++i) {
    if ((rest & (1 << (quarter_bit + i))) != 0) {
      result = DoublingHighMul(result, kExpOfPower[i]);
    }
  }
  return result;
}

int32_t FixedPointLogistic(int32_t x, int integer_bits) {
  if (x == 0) return 1 << 30;
  const int32_t positive =
      OneOverOnePlus(ExpOfNegative(x > 0 ? -x : x, integer_bits));
  return x > 0 ? positive : kMax - positive;
}

int32_t FixedPointTanh(int32_t x, int integer_bits) {
  if (x == 0) return 0;
  // With one more integer bit the same number is twice as large:
  // tanh(x) = (1 - exp(-2x)) / (1 + exp(-2x)).
  const int32_t positive =
      OneMinusOverOnePlus(ExpOfNegative(x > 0 ? -x : x, integer_bits + 1));
  return x > 0 ? positive : -positive;
}

Reciprocal FixedPointReciprocal(uint32_t x, int integer_bits) {
  // x = 2^(integer_bits - zeros) * (1 + fraction).
  const int zeros = LeadingZeros(x);
  const auto fraction = static_cast<int32_t>((x << zeros) - (1U << 31));
  return {OneOverOnePlus(fraction), integer_bits - zeros};
}

Multiplier InverseSquareRoot(int32_t x) {
  if (x <= 1) return {kMax, 0};
  // x is brought to [2^27, 2^29) by an even power of two, which the result is
  // divided by the root of.
  int right_shift = 11;
  while (x >= (1 << 29)) {
    x /= 4;
    ++right_shift;
  }
  const int pairs = (LeadingZeros(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  right_shift -= pairs;
  const int32_t half = RoundingShift((x << (2 * pairs)) >> 1, 1);
  constexpr int32_t kThreeHalves = kOneQ3 + kOneQ3 / 2;
  constexpr int32_t kHalfRootOfTwo = 1518500250;
  // Newton-Raphson in Q3: guess = 3/2 guess - x/2 guess^3.
  int32_t guess = kOneQ3;
  for (int i = 0; i < 5; ++i) {
    const int32_t square = DoublingHighMul(guess, guess);
    const int32_t cube = SaturatingShiftLeft(DoublingHighMul(square, guess), 6);
    guess = SaturatingShiftLeft(
        DoublingHighMul(kThreeHalves, guess) - DoublingHighMul(half, cube), 3);
  }
  guess = DoublingHighMul(guess, kHalfRootOfTwo);
  if (right_shift < 0) {
    guess *= 1 << -right_shift;
    right_shift = 0;
  }
  return {guess, -right_shift};
}

int32_t InputRadius(int integer_bits, int left_shift) {
  const double largest =
      std::ldexp((1 << integer_bits) - 1, 31 - integer_bits - left_shift);
  return static_cast<int32_t>(std::min<double>(std::floor(largest), kMax));
}

}  // namespace stowage::harness
