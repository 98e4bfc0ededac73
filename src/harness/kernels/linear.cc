// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/linear.h"

#include <algorithm>
#include <cmath>

#include "absl/types/span.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness {
namespace {

// The parameters with which a hybrid operator quantizes floats, computed from
// the range of the floats: real ~ scale * (quantized - zero_point).
struct DynamicRange {
  float scale = 1;
  int32_t zero_point = 0;
};

// Returns the integer in [min, 127] nearest to `value`, or `min` for NaN.
int8_t Round(float value, float min) {
  const float rounded = std::round(value);
  if (!(rounded > min)) return static_cast<int8_t>(min);
  return static_cast<int8_t>(rounded < 127 ? rounded : 127);
}

// Returns the zero point computed from either the lower or the upper end of the
// range, whichever has the smaller error.
int32_t ZeroPoint(double min, double max, double scale) {
  const double from_min_error = 128 + std::abs(min / scale);
  const double from_max_error = 127 + std::abs(max / scale);
  const double zero =
      from_min_error < from_max_error ? -128 - min / scale : 127 - max / scale;
  if (!(zero > -128)) return -128;
  return zero < 127 ? static_cast<int32_t>(std::round(zero)) : 127;
}

// Quantizes floats to [-127, 127], so that the largest magnitude becomes -127
// or 127. Values that are not finite become arbitrary integers, which is
// harmless. O(size).
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

// Quantizes floats to [-128, 127]. The range of the values, extended to include
// 0, is mapped to the range of the integers, with 0 represented exactly.
// O(size).
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

}  // namespace

absl::Status Linear::Prepare(OperatorContext& context, const LinearRoles& roles,
                             FusedActivation activation) {
  roles_ = roles;
  has_bias_ = context.has_input(roles.bias);
  STOWAGE_RETURN_IF_ERROR(PrepareKind(context));
  STOWAGE_RETURN_IF_ERROR(PrepareBias(context));
  if (roles.tile_depth > 0) {
    STOWAGE_ASSIGN_OR_RETURN(
        tile_, NewTile(context, roles.tile_depth, kind_ == Kind::kFloat));
  }
  if (kind_ == Kind::kFloat || kind_ == Kind::kHybrid) {
    STOWAGE_ASSIGN_OR_RETURN(float_range_, FloatRange(activation));
    if (kind_ == Kind::kFloat) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(PrepareWeights(context));
    return PrepareHybrid(context);
  }
  STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, roles.input));
  STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
  STOWAGE_RETURN_IF_ERROR(PrepareWeights(context));
  STOWAGE_ASSIGN_OR_RETURN(output_,
                           QuantizedOutputOf(context.output(0), activation));
  return PrepareFactors(context);
}

absl::Status Linear::PrepareKind(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckInputType(
      context, roles_.input, TypeList<float, uint8_t, int8_t, int16_t>()));
  const Tensor& input = context.input(roles_.input);
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
  if (input.type == ElementType::kFloat32) {
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, roles_.weights, TypeList<float, int8_t>()));
    kind_ = context.input(roles_.weights).type == ElementType::kFloat32
                ? Kind::kFloat
                : Kind::kHybrid;
    return absl::OkStatus();
  }
  if (input.type == ElementType::kUint8) {
    kind_ = Kind::kUint8;
    return CheckInputType(context, roles_.weights, {ElementType::kUint8});
  }
  kind_ = Kind::kInt8;
  if (input.type == ElementType::kInt16) {
    const bool is_wide =
        has_bias_ ? context.input(roles_.bias).type == ElementType::kInt64
                  : roles_.is_wide_without_bias;
    kind_ = is_wide ? Kind::kWideInt16 : Kind::kInt16;
    if (input.quantization.zero_point() != 0) {
      return RefuseModel(
          InputPlace(context, roles_.input), ": its zero point is ",
          input.quantization.zero_point(), "; expected 0, as it is INT16");
    }
  }
  return CheckInputType(context, roles_.weights, {ElementType::kInt8});
}

absl::Status Linear::PrepareBias(OperatorContext& context) {
  if (!has_bias_) return absl::OkStatus();
  ElementType type = ElementType::kInt32;
  if (kind_ == Kind::kFloat || kind_ == Kind::kHybrid) {
    type = ElementType::kFloat32;
  } else if (kind_ == Kind::kWideInt16) {
    type = ElementType::kInt64;
  }
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, roles_.bias, {type}));
  const Tensor& bias = context.input(roles_.bias);
  if (bias.elements() != roles_.channels) {
    return RefuseModel(InputPlace(context, roles_.bias), ": it has ",
                       bias.elements(), " elements; expected one for each of ",
                       roles_.channels, " output channels");
  }
  return absl::OkStatus();
}

absl::Status Linear::PrepareWeights(OperatorContext& context) {
  weights_zero_ = 0;
  const Quantization& q = context.input(roles_.weights).quantization;
  if (q.scales.size() <= 1) {
    weights_zero_ = q.zero_point();
    return CheckInputQuantized(context, roles_.weights);
  }
  const std::string place = InputPlace(context, roles_.weights);
  if (static_cast<int64_t>(q.scales.size()) != roles_.channels ||
      q.dimension != roles_.channel_dimension) {
    return RefuseModel(
        place, ": it has ", q.scales.size(), " scales in dimension ",
        q.dimension, "; expected 1, or one for each of ", roles_.channels,
        " output channels in dimension ", roles_.channel_dimension);
  }
  for (const float scale : q.scales) {
    if (std::isfinite(scale) && scale >= 0) continue;
    return RefuseModel(place, ": one of its scales is ", scale,
                       "; expected 0 or more");
  }
  for (const int32_t zero : q.zero_points) {
    if (zero == 0) continue;
    return RefuseModel(place, ": one of its zero points is ", zero,
                       "; expected 0, as it has a scale for each channel");
  }
  return absl::OkStatus();
}

absl::Status Linear::PrepareFactors(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(factors_, context.NewPersistent<Multiplier>(
                                         static_cast<size_t>(roles_.channels)));
  const Tensor& input = context.input(roles_.input);
  const Tensor& weights = context.input(roles_.weights);
  const Tensor& output = context.output(0);
  const std::vector<float>& scales = weights.quantization.scales;
  STOWAGE_RETURN_IF_ERROR(SetChannelFactors(
      input, weights, output, roles_.has_float_products, factors_));
  for (size_t c = 0; c < factors_.size(); ++c) {
    if (kind_ == Kind::kWideInt16 && factors_[c].exponent > 7) {
      return RefuseModel(
          "scales of input, weights and output are ",
          input.quantization.scale(), ", ", scales[scales.size() == 1 ? 0 : c],
          " and ", output.quantization.scale(),
          "; expected a product of the first two below 128 times the third");
    }
  }
  return absl::OkStatus();
}

absl::Status Linear::PrepareHybrid(OperatorContext& context) {
  if (weights_zero_ != 0) {
    return RefuseModel(InputPlace(context, roles_.weights),
                       ": its zero point is ", weights_zero_,
                       "; expected 0, as the input is FLOAT32");
  }
  STOWAGE_ASSIGN_OR_RETURN(
      quantized_input_,
      context.AddTemporary(ElementType::kInt8,
                           context.input(roles_.input).shape));
  const auto batches = static_cast<size_t>(roles_.batches);
  STOWAGE_ASSIGN_OR_RETURN(input_scales_,
                           context.NewPersistent<float>(batches));
  STOWAGE_ASSIGN_OR_RETURN(input_zeros_,
                           context.NewPersistent<int32_t>(batches));
  const bool has_channel_scales =
      context.input(roles_.weights).quantization.scales.size() > 1;
  has_asymmetric_inputs_ =
      roles_.has_asymmetric_inputs ||
      (roles_.is_asymmetric_per_channel && has_channel_scales);
  return absl::OkStatus();
}

void Linear::QuantizeInput(const Tensor& input, Tensor& quantized) {
  const int64_t batches = roles_.batches;
  if (batches == 0) return;
  const int64_t size = input.elements() / batches;
  for (int64_t b = 0; b < batches; ++b) {
    const float* const from = input.as<float>() + b * size;
    int8_t* const to = quantized.as<int8_t>() + b * size;
    const DynamicRange range = has_asymmetric_inputs_
                                   ? QuantizeAsymmetrically(from, size, to)
                                   : QuantizeSymmetrically(from, size, to);
    input_scales_[static_cast<size_t>(b)] = range.scale;
    input_zeros_[static_cast<size_t>(b)] = range.zero_point;
  }
}

HybridStage Linear::MakeHybridStage(OperatorContext& context) const {
  const Quantization& weights = context.input(roles_.weights).quantization;
  const size_t scale_step = weights.scales.size() == 1 ? 0 : 1;
  return {OptionalInput<float>(context, roles_.bias),
          float_range_,
          weights.scales.data(),
          scale_step,
          input_scales_.data(),
          input_zeros_.data()};
}

}  // namespace stowage::harness
