// SPDX-License-Identifier: Apache-2.0
// Registers LOG_SOFTMAX, the logarithm of SOFTMAX with a beta of 1. The result
// for an element x is x minus the logarithm of the sum of all exponentials
// along the last dimension.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::log_softmax {
namespace {

// Computes a row of floats. The largest element is subtracted first, so that
// exponentials stay finite.
void FloatRow(const float* in, int64_t depth, float* out) {
  float max = std::numeric_limits<float>::lowest();
  for (int64_t c = 0; c < depth; ++c) max = std::max(max, in[c]);
  double sum = 0;
  for (int64_t c = 0; c < depth; ++c) sum += std::exp(in[c] - max);
  const auto log_sum = static_cast<float>(std::log(sum));
  for (int64_t c = 0; c < depth; ++c) out[c] = (in[c] - max) - log_sum;
}

class LogSoftmax : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 1, Types()));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputRank(context, 0, 1, std::numeric_limits<int>::max()));
    const Tensor& input = context.input(0);
    if (input.type != ElementType::kFloat32) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
      // The results are in the range [-16, 0].
      STOWAGE_RETURN_IF_ERROR(CheckOutputScale(
          context, 16.0F / 256, input.type == ElementType::kInt8 ? 127 : 255));
      const double scale = input.quantization.scale();
      for (size_t d = 0; d < exp_.size(); ++d) {
        exp_[d] = std::exp(-scale * static_cast<double>(d));
      }
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    const int64_t count = input.elements();
    const int64_t depth = input.dim(-1);
    return DispatchType(Types(), input.type, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t at = 0; at < count; at += depth) {
        const T* const in = input.as<T>() + at;
        T* const out = output.as<T>() + at;
        if constexpr (std::is_same_v<T, float>) {
          FloatRow(in, depth, out);
        } else {
          QuantizedRow(input, output, in, depth, out);
        }
      }
    });
  }

 private:
  using Types = TypeList<float, int8_t, uint8_t>;

  // Computes the results as real numbers and rounds each of them once. `in` and
  // `out` may be the same pointer.
  template <typename T>
  void QuantizedRow(const Tensor& input, const Tensor& output, const T* in,
                    int64_t depth, T* out) const {
    const T max = *std::max_element(in, in + depth);
    double sum = 0;
    for (int64_t c = 0; c < depth; ++c) {
      sum += exp_[static_cast<size_t>(max - in[c])];
    }
    const double log_sum = std::log(sum);
    const double scale = input.quantization.scale();
    const double steps = 1 / double{output.quantization.scale()};
    const QuantizedOutput target = QuantizedOutputOf(output);
    for (int64_t c = 0; c < depth; ++c) {
      const double real = (in[c] - max) * scale - log_sum;
      // Values below -1000 steps are below the range of every type. They are
      // clamped to -1000, so that the conversion to an integer is defined.
      const double rounded = std::round(std::max(real * steps, -1000.0));
      out[c] = static_cast<T>(target.At(static_cast<int32_t>(rounded)));
    }
  }

  // Entry d is the exponential of an element that is d steps below the largest
  // element.
  std::array<double, 256> exp_ = {};
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<LogSoftmax>(
              "LOG_SOFTMAX",
              "x minus the logarithm of the sum of exp(x) along the last "
              "dimension")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::log_softmax
