// SPDX-License-Identifier: Apache-2.0
// Registers SOFTMAX, which divides each exp(beta * x) by the sum of these
// exponentials along the last dimension. Rows of 8-bit inputs are computed with
// fixed-point numbers, and rows of 16-bit inputs by interpolation in two
// tables. In both cases, the results equal those of TensorFlow Lite's reference
// kernels bit for bit.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "absl/numeric/bits.h"
#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::softmax {
namespace {

// Computes a row of floats. The largest element is subtracted first, which does
// not change the results but keeps exponentials finite.
void FloatRow(const float* in, int64_t depth, float beta, float* out) {
  float max = std::numeric_limits<float>::lowest();
  for (int64_t c = 0; c < depth; ++c) max = std::max(max, in[c]);
  float sum = 0;
  for (int64_t c = 0; c < depth; ++c) {
    out[c] = std::exp((in[c] - max) * beta);
    sum += out[c];
  }
  for (int64_t c = 0; c < depth; ++c) out[c] /= sum;
}

// Computes the softmax of a row of 8-bit inputs. The result 0 is represented by
// the lowest value of Out, and one step of Out is 1 / (the number of values of
// Out). `in` and `out` may be the same pointer.
template <typename In, typename Out>
void EightBitRow(const ExpTable& table, const In* in, int64_t depth, Out* out) {
  // The number of integer bits of the sum of exponentials.
  constexpr int kSumBits = 12;
  constexpr int kOutBits = 8 * sizeof(Out);
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, no character
  constexpr int32_t kLeast = std::numeric_limits<Out>::min();
  constexpr int32_t kLargest = std::numeric_limits<Out>::max();
  const In max = *std::max_element(in, in + depth);
  const auto exp = [&](In x) { return table[static_cast<size_t>(max - x)]; };
  uint64_t sum = 0;
  for (int64_t c = 0; c < depth; ++c) {
    sum += static_cast<uint64_t>(RoundingShiftRight(exp(in[c]), kSumBits));
  }
  const Reciprocal reciprocal =
      FixedPointReciprocal(static_cast<uint32_t>(std::min<uint64_t>(
                               sum, std::numeric_limits<uint32_t>::max())),
                           kSumBits);
  const int shift = reciprocal.exponent + 31 - kOutBits;
  for (int64_t c = 0; c < depth; ++c) {
    const int32_t fraction = gemmlowp::SaturatingRoundingDoublingHighMul(
        reciprocal.mantissa, exp(in[c]));
    // A shift by more than 31 bits leaves 0.
    const int32_t result = shift > 31 ? 0 : RoundingShiftRight(fraction, shift);
    out[c] = static_cast<Out>(std::min(result, kLargest - kLeast) + kLeast);
  }
}

// Approximates a function of 16-bit numbers: stores its value at every 128th
// number and interpolates linearly in between.
class Table16 {
 public:
  // Computes the table of `function`. The numbers -32768 to 32767 are mapped to
  // arguments of `function` from `min` to just below `max`. Values are in units
  // of 2^-15.
  Table16(float (*function)(float), float min, float max) {
    constexpr int kSteps = 512;
    const float step = (max - min) / kSteps;
    const auto scaled = [&](float x) { return function(x) * 32768.0F; };
    for (int i = 0; i < kSteps; ++i) {
      const float x = min + static_cast<float>(i) * step;
      const float next = min + static_cast<float>(i + 1) * step;
      // Interpolation replaces the curve between two entries by a line. Half of
      // the error in the middle of the line is subtracted from the entry.
      const float value = std::round(scaled(x));
      const float line = std::round((scaled(next) + value) / 2);
      const float curve = std::round(scaled(x + step / 2));
      const float bias = std::round((line - curve) / 2);
      values_[static_cast<size_t>(i)] =
          Saturate<int16_t>(static_cast<int64_t>(value - bias));
    }
    values_.back() =
        Saturate<int16_t>(static_cast<int64_t>(std::round(scaled(max))));
  }

  // Returns the approximate value at `x`, or at the nearest 16-bit number if
  // `x` does not fit in 16 bits.
  int16_t At(int64_t x) const {
    const int32_t within = Saturate<int16_t>(x);
    const int32_t first = (within >> 7) + 256;
    const auto entry = static_cast<size_t>(first);
    const int32_t slope = values_[entry + 1] - values_[entry];
    const int32_t offset = within & 0x7F;
    return static_cast<int16_t>(values_[entry] + ((slope * offset + 64) >> 7));
  }

 private:
  std::array<int16_t, 513> values_ = {};
};

class Softmax16 {
 public:
  // Creates the function for inputs in units of `scale`, each multiplied by
  // `beta`. The argument of the exponential is a 16-bit number, and its 65535
  // steps correspond to a range of 10.
  Softmax16(float scale, float beta)
      : factor_(QuantizeMultiplier(double{scale} * double{beta} /
                                   (10.0 / 65535.0))) {}

  // Computes the softmax of a row, in units of 2^-15. `in` and `out` may be the
  // same pointer. O(depth).
  void ComputeRow(const int16_t* in, int64_t depth, int16_t* out) const {
    const int32_t max = *std::max_element(in, in + depth);
    int64_t total = 0;
    for (int64_t c = 0; c < depth; ++c) {
      const int64_t difference = Multiply(int32_t{in[c]} - max, factor_);
      out[c] = exp_.At(difference + 32767);
      total += out[c];
    }
    const int64_t sum =
        std::min<int64_t>(total, std::numeric_limits<int32_t>::max());
    // sum = 2^shift * (1 + x), with x in [0, 1). The table represents x = 0 by
    // the argument -32768 and x = 1 by 32768.
    const int bits = 63 - absl::countl_zero(static_cast<uint64_t>(sum));
    const int64_t normalized = ((sum << (30 - bits)) + (1 << 13)) >> 14;
    const int32_t reciprocal =
        one_over_one_plus_.At(normalized - (1 << 15) - (1 << 16));
    const int64_t half = bits > 0 ? int64_t{1} << (bits - 1) : 0;
    for (int64_t c = 0; c < depth; ++c) {
      const int64_t result = (int64_t{out[c]} * reciprocal + half) >> bits;
      out[c] = static_cast<int16_t>(std::clamp<int64_t>(result, 0, 32767));
    }
  }

 private:
  Table16 exp_{[](float x) { return std::exp(x); }, -10.0F, 0.0F};
  Table16 one_over_one_plus_{[](float x) { return 1.0F / (1.0F + x); }, 0.0F,
                             1.0F};
  Multiplier factor_;
};

class Softmax : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 1, INT32_MAX));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 0, FloatAndQuantizedTypes()));
    STOWAGE_ASSIGN_OR_RETURN(beta_, SoftmaxBetaOf(context.spec()));
    STOWAGE_RETURN_IF_ERROR(PrepareType(context));
    return context.ResizeOutput(0, context.input(0).shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    return DispatchType(FloatAndQuantizedTypes(), input.type, [&](auto zero) {
      using In = decltype(zero);
      if constexpr (std::is_same_v<In, int8_t>) {
        if (output.type == ElementType::kInt16) {
          ComputeRows<In, int16_t>(input, output);
          return;
        }
      }
      ComputeRows<In, In>(input, output);
    });
  }

 private:
  absl::Status PrepareType(OperatorContext& context) {
    const ElementType type = context.input(0).type;
    STOWAGE_RETURN_IF_ERROR(
        type == ElementType::kInt8
            ? CheckOutputType(context, 0, TypeList<int8_t, int16_t>())
            : CheckOutputType(context, 0, {type}));
    if (type == ElementType::kFloat32) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    const float scale = context.input(0).quantization.scale();
    if (type == ElementType::kInt16) {
      softmax16_ = std::make_unique<Softmax16>(scale, beta_);
      return CheckOutputScale(context, 1.0F / 32768, 0);
    }
    STOWAGE_ASSIGN_OR_RETURN(exp_, MakeExpTable(scale, beta_));
    if (context.output(0).type == ElementType::kInt16) {
      return CheckOutputScale(context, 1.0F / 65536, -32768);
    }
    return CheckOutputScale(context, 1.0F / 256,
                            type == ElementType::kInt8 ? -128 : 0);
  }

  template <typename In, typename Out>
  void ComputeRows(const Tensor& input, Tensor& output) const {
    const int64_t count = input.elements();
    const int64_t depth = input.dim(-1);
    for (int64_t at = 0; at < count; at += depth) {
      const In* const in = input.as<In>() + at;
      Out* const out = output.as<Out>() + at;
      if constexpr (std::is_same_v<In, float>) {
        FloatRow(in, depth, beta_, out);
      } else if constexpr (std::is_same_v<In, int16_t>) {
        softmax16_->ComputeRow(in, depth, out);
      } else {
        EightBitRow(exp_, in, depth, out);
      }
    }
  }

  float beta_ = 0;
  ExpTable exp_ = {};
  std::unique_ptr<Softmax16> softmax16_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<Softmax>("SOFTMAX",
                            "exp(beta x), divided by its sum along the last "
                            "dimension")
              .OfVersions(1, 3)
              .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::softmax
