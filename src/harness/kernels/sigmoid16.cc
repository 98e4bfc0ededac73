// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/sigmoid16.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace stowage::harness {
namespace {

constexpr int kEntries = 256;

// Returns a table in which entry i is approximately sigmoid(i / 24) * 2^16.
// Linear interpolation between two entries is least accurate in the middle.
// Half of that error is added to each entry, so that the largest errors in both
// directions are equal.
const std::array<uint16_t, kEntries>& Table() {
  static const auto* const table = [] {
    auto* entries = new std::array<uint16_t, kEntries>;
    const auto sigmoid = [](double i) {
      return 65536.0 / (1.0 + std::exp(-i / 24));
    };
    for (int i = 0; i < kEntries - 1; ++i) {
      const double chord = (sigmoid(i) + sigmoid(i + 1)) / 2;
      (*entries)[static_cast<size_t>(i)] = static_cast<uint16_t>(
          std::lround(sigmoid(i) + (sigmoid(i + 0.5) - chord) / 2));
    }
    entries->back() = 65535;
    return entries;
  }();
  return *table;
}

// Returns sigmoid(x) * 2^(16 + bits). Requires that `x` is not negative and
// that one step of the table is 2^bits units of `x`.
uint32_t Interpolate(uint32_t x, int bits) {
  const uint32_t entry = x >> bits;
  const uint32_t low = Table()[entry];
  const uint32_t high = Table()[entry + 1];
  const uint32_t fraction = x & ((1U << bits) - 1);
  return (low << bits) + fraction * (high - low);
}

// Returns the scale with which the function computes. As in TensorFlow Lite,
// this is the scale of the inputs, except that a scale close to 2^-12 (or, for
// the hyperbolic tangent, also 2^-11) is rounded to that power of two. A scale
// is close if its binary logarithm differs by less than 0.001.
double EffectiveScale(Sigmoid16::Function function, double scale) {
  const double exponent = std::log2(scale);
  const double nearest = std::round(exponent);
  const bool may_replace =
      nearest == -12 || (nearest == -11 && function == Sigmoid16::kTanh);
  return may_replace && std::abs(exponent - nearest) < 1e-3 ? std::exp2(nearest)
                                                            : scale;
}

}  // namespace

float RealLogistic(float x) {
  // To the precision of a float, the result is exp(x) for x < -9, and 1 for x >
  // 16.6. The general formula is not used there, because exp(-x) becomes
  // infinite for a very negative x.
  if (x > 16.619047164916992188F) return 1;
  if (x < -9) return std::exp(x);
  return 1 / (1 + std::exp(-x));
}

Sigmoid16::Sigmoid16(Function function, float input_scale)
    : function_(function) {
  double multiplier = EffectiveScale(function, input_scale) * 12288;
  while (multiplier <= 32767.0 / 2 && shift_ <= 30) {
    ++shift_;
    multiplier *= 2;
  }
  // The multiplier is limited to 2^20, because from there on all inputs except
  // 0 saturate and a larger multiplier gives the same results.
  multiplier_ = static_cast<int32_t>(std::min(multiplier, 1048576.0));
}

int32_t Sigmoid16::Rescaled(int16_t x) const {
  const int64_t round = shift_ > 0 ? int64_t{1} << (shift_ - 1) : 0;
  const int64_t rescaled = (int64_t{x} * multiplier_ + round) >> shift_;
  return static_cast<int32_t>(
      std::clamp<int64_t>(rescaled, -(1 << 20), 1 << 20));
}

int16_t Sigmoid16::Logistic(int16_t x) const {
  const int32_t at = Rescaled(x);
  const auto distance = static_cast<uint32_t>(std::abs(at));
  uint32_t result = 0x7FFFU << 10;
  if (distance >> 9 < kEntries - 1) result = Interpolate(distance, 9);
  if (at >= 0) {
    result += 1U << 9;
  } else {
    result = (1U << 25) - result + (1U << 9) - 1;
  }
  return static_cast<int16_t>(result >> 10);
}

int16_t Sigmoid16::Tanh(int16_t x) const {
  const int32_t at = Rescaled(x);
  const auto distance = static_cast<uint32_t>(std::abs(at));
  int32_t result = 0xFFFF << 8;
  if (distance >> 8 < kEntries - 1) {
    result = static_cast<int32_t>(Interpolate(distance, 8));
  }
  result -= 1 << 23;
  result = at >= 0 ? result + (1 << 7) : -result + (1 << 7) - 1;
  return static_cast<int16_t>(result >> 8);
}

}  // namespace stowage::harness
