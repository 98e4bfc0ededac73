#include "src/harness/kernels/dynamic_range.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace stowage::harness {
namespace {

// Nearest integer in [min, 127]; `min` for what is not a number.
int8_t Round(float value, float min) {
  const float rounded = std::round(value);
  if (!(rounded > min)) return static_cast<int8_t>(min);
  return static_cast<int8_t>(rounded < 127 ? rounded : 127);
}

// The zero point: that of the end of the range which it leaves less error.
int32_t ZeroPoint(double min, double max, double scale) {
  const double from_min_error = 128 + std::abs(min / scale);
  const double from_max_error = 127 + std::abs(max / scale);
  const double zero =
      from_min_error < from_max_error ? -128 - min / scale : 127 - max / scale;
  if (!(zero > -128)) return -128;
  return zero < 127 ? static_cast<int32_t>(std::round(zero)) : 127;
}

}  // namespace

DynamicRange QuantizeSymmetrically(const float* from, int64_t size,
                                   int8_t* to) {
  float largest = 0;
  for (int64_t i = 0; i < size; ++i) {
    largest = std::max(largest, std::abs(from[i]));
  }
  if (largest == 0) {
    std::fill(to, to + size, int8_t{0});
    return {1, 0};
  }
  const float inverse = 127 / largest;
  for (int64_t i = 0; i < size; ++i) to[i] = Round(from[i] * inverse, -127);
  return {largest / 127, 0};
}

DynamicRange QuantizeAsymmetrically(const float* from, int64_t size,
                                    int8_t* to) {
  double min = 0;
  double max = 0;
  for (int64_t i = 0; i < size; ++i) {
    min = std::min(min, double{from[i]});
    max = std::max(max, double{from[i]});
  }
  if (min == max) {
    std::fill(to, to + size, int8_t{0});
    return {1, 0};
  }
  const double scale = (max - min) / 255;
  const DynamicRange range{static_cast<float>(scale),
                           ZeroPoint(min, max, scale)};
  const float inverse = 1 / range.scale;
  const auto zero = static_cast<float>(range.zero_point);
  for (int64_t i = 0; i < size; ++i) {
    to[i] = Round(zero + from[i] * inverse, -128);
  }
  return range;
}

}  // namespace stowage::harness
