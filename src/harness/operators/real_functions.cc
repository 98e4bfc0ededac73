// SPDX-License-Identifier: Apache-2.0
// Registers elementwise functions of one real number. Quantized numbers are
// also computed in floating point: each number is dequantized, and the result
// is rounded once. Functions with their own integer arithmetic are in
// activations.cc, and functions of other types in unary_functions.cc.
#include <algorithm>
#include <array>
#include <cmath>

#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::real_functions {
namespace {

// For quantized types, a NaN returned by one of the functions below becomes the
// lowest quantized number.
struct Elu {
  float operator()(float x) const { return x < 0 ? std::expm1(x) : x; }
};
struct Exponential {
  float operator()(float x) const { return std::exp(x); }
};
struct Logarithm {
  float operator()(float x) const { return std::log(x); }
};
struct InverseRoot {
  float operator()(float x) const { return 1.0F / std::sqrt(x); }
};

// Computes x times the probability that a standard normal random variable is
// below x, or an approximation of this product. Source: D. Hendrycks and K.
// Gimpel, "Gaussian Error Linear Units" (2016), section 2.
struct Gelu {
  float operator()(float x) const {
    if (is_approximate) {
      constexpr float kRootOfTwoOverPi = 0.7978845608F;
      return 0.5F * x *
             (1 + std::tanh(kRootOfTwoOverPi * (x + 0.044715F * x * x * x)));
    }
    constexpr float kRootOfHalf = 0.7071067812F;
    return 0.5F * x * std::erfc(-x * kRootOfHalf);
  }

  bool is_approximate = false;
};

// Sets the fields of the function object that depend on the operator's options.
template <typename F>
absl::Status ReadOptions(const OperatorContext& /*context*/, F* /*f*/) {
  return absl::OkStatus();
}
absl::Status ReadOptions(const OperatorContext& context, Gelu* gelu) {
  STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                           OptionsOf<tflite::GeluOptions>(context));
  gelu->is_approximate = options->approximate();
  return absl::OkStatus();
}

template <typename F>
class RealFunction : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 1, FloatAndQuantizedTypes()));
    STOWAGE_RETURN_IF_ERROR(ReadOptions(context, &f_));
    const Tensor& input = context.input(0);
    if (input.type != ElementType::kFloat32) {
      STOWAGE_RETURN_IF_ERROR(CheckAllQuantized(context));
    }
    if (ElementBytes(input.type) == 1) {
      const int32_t first = input.type == ElementType::kInt8 ? -128 : 0;
      const Tensor& output = context.output(0);
      for (int32_t value = first; value < first + 256; ++value) {
        table_[static_cast<uint8_t>(value)] =
            static_cast<uint8_t>(Quantized(value, input, output));
      }
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    const int64_t count = input.elements();
    if (input.type == ElementType::kFloat32) {
      ForEachElement(input.as<float>(), output.as<float>(), count, f_);
    } else if (input.type == ElementType::kInt16) {
      ForEachElement(input.as<int16_t>(), output.as<int16_t>(), count,
                     [&](int16_t x) {
                       return static_cast<int16_t>(Quantized(x, input, output));
                     });
    } else {
      // The bytes of INT8 values are read as UINT8, because they are used as
      // indices of the table.
      ForEachElement(input.as<uint8_t>(), output.as<uint8_t>(), count,
                     [this](uint8_t value) { return table_[value]; });
    }
    return absl::OkStatus();
  }

 private:
  int32_t Quantized(int32_t value, const Tensor& input,
                    const Tensor& output) const {
    const QuantizedOutput target = QuantizedOutputOf(output);
    const int32_t x = value - input.quantization.zero_point();
    const float y = f_(input.quantization.scale() * static_cast<float>(x));
    if (std::isnan(y)) return target.range.min;
    const float steps = std::round(y * (1.0F / output.quantization.scale()));
    // The inverse of a very small scale is infinity, and 0 times infinity is
    // NaN.
    if (std::isnan(steps)) return target.At(0);
    constexpr float kFar = 1e9F;
    return target.At(static_cast<int64_t>(std::clamp(steps, -kFar, kFar)));
  }

  F f_;
  std::array<uint8_t, 256> table_ = {};  // the results for numbers of 8 bits
};

template <typename F>
OperatorRegistration Row(const char* name, const char* what) {
  return Operator<RealFunction<F>>(name, what).SharesMemoryOf(InPlace::kInput0);
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Row<Elu>("ELU", "x above 0, exp(x) - 1 below, elementwise"),
      Row<Exponential>("EXP", "e to the power of x, elementwise")
          .OfVersions(1, 2),
      Row<Gelu>("GELU",
                "x times the normal distribution function of x, or its "
                "approximation by tanh, elementwise")
          .OfVersions(1, 2),
      Row<Logarithm>("LOG", "the natural logarithm, elementwise")
          .OfVersions(1, 2),
      Row<InverseRoot>("RSQRT", "1 / sqrt(x), elementwise").OfVersions(1, 3),
  };
}

}  // namespace stowage::harness::real_functions
