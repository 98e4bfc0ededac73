// A real function of quantised numbers: real inputs, real outputs, rounded
// once. This is how TensorFlow Lite fills the tables of 8-bit activations.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_QUANTIZED_FUNCTION_H_
#define STOWAGE_SRC_HARNESS_KERNELS_QUANTIZED_FUNCTION_H_

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "src/harness/kernels/quantized_output.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class QuantizedFunction {
 public:
  QuantizedFunction() = default;
  QuantizedFunction(Quantization input, Quantization output,
                    Range<int32_t> range, std::function<float(float)> function)
      : input_(std::move(input)),
        output_(std::move(output)),
        range_(range),
        function_(std::move(function)) {}

  // The element of the output for an element of the input; what is no number
  // becomes 0.
  int32_t operator()(int32_t value) const {
    const float real =
        input_.scale() * static_cast<float>(value - input_.zero_point());
    const float inverse_scale = 1.0F / output_.scale();
    const float quantized = std::round(function_(real) * inverse_scale) +
                            static_cast<float>(output_.zero_point());
    if (std::isnan(quantized)) return range_.Clamp(output_.zero_point());
    if (quantized < static_cast<float>(range_.min)) return range_.min;
    if (quantized > static_cast<float>(range_.max)) return range_.max;
    return static_cast<int32_t>(quantized);
  }

 private:
  Quantization input_;
  Quantization output_;
  Range<int32_t> range_ = {};
  std::function<float(float)> function_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_QUANTIZED_FUNCTION_H_
