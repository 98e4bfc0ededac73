#include "src/harness/kernels/softmax16.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/harness/kernels/fixed_point.h"

namespace stowage::harness {
namespace {

int32_t Saturate16(int64_t x) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(x, std::numeric_limits<int16_t>::min(),
                          std::numeric_limits<int16_t>::max()));
}

}  // namespace

Table16::Table16(float (*function)(float), float min, float max) {
  constexpr int kSteps = 512;
  const float step = (max - min) / kSteps;
  const auto scaled = [&](float x) { return function(x) * 32768.0F; };
  for (int i = 0; i < kSteps; ++i) {
    const float x = min + static_cast<float>(i) * step;
    const float next = min + static_cast<float>(i + 1) * step;
    // Half of what the line misses in its middle goes to its end.
    const float value = std::round(scaled(x));
    const float line = std::round((scaled(next) + value) / 2);
    const float curve = std::round(scaled(x + step / 2));
    const float bias = std::round((line - curve) / 2);
    values_[static_cast<size_t>(i)] =
        static_cast<int16_t>(Saturate16(static_cast<int64_t>(value - bias)));
  }
  values_.back() = static_cast<int16_t>(
      Saturate16(static_cast<int64_t>(std::round(scaled(max)))));
}

int16_t Table16::At(int32_t x) const {
  const int32_t within = Saturate16(x);
  const int32_t first = (within >> 7) + 256;
  const auto entry = static_cast<size_t>(first);
  const int32_t slope = values_[entry + 1] - values_[entry];
  const int32_t offset = within & 0x7F;
  return static_cast<int16_t>(values_[entry] + ((slope * offset + 64) >> 7));
}

Softmax16::Softmax16(float scale, float beta)
    : exp_([](float x) { return std::exp(x); }, -10.0F, 0.0F),
      one_over_one_plus_([](float x) { return 1.0F / (1.0F + x); }, 0.0F, 1.0F),
      // 65535 steps are 10.
      factor_(
          QuantizeMultiplier(double{scale} * double{beta} / (10.0 / 65535.0))) {
}

void Softmax16::Row(const int16_t* in, int64_t depth, int16_t* out) const {
  const int32_t max = *std::max_element(in, in + depth);
  int64_t total = 0;
  for (int64_t c = 0; c < depth; ++c) {
    const int64_t difference = Multiply(int32_t{in[c]} - max, factor_);
    out[c] = exp_.At(Saturate16(difference + 32767));
    total += out[c];
  }
  const int64_t sum =
      std::min<int64_t>(total, std::numeric_limits<int32_t>::max());
  // sum = 2^shift * (1 + x), x in [0, 1) as the table takes it: from -32768.
  int bits = 0;
  while (sum >> bits > 1) ++bits;
  const int64_t normalized = ((sum << (30 - bits)) + (1 << 13)) >> 14;
  const int32_t reciprocal =
      one_over_one_plus_.At(Saturate16(normalized - (1 << 15) - (1 << 16)));
  const int64_t half = bits > 0 ? int64_t{1} << (bits - 1) : 0;
  for (int64_t c = 0; c < depth; ++c) {
    const int64_t result = (int64_t{out[c]} * reciprocal + half) >> bits;
    out[c] = static_cast<int16_t>(std::clamp<int64_t>(result, 0, 32767));
  }
}

}  // namespace stowage::harness
