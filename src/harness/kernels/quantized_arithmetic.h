// Sum, product, quotient and squared difference of two quantised numbers, each
// with a scale and zero point of its own, as a quantised number again. These
// are functions of two values that a loop calls; making one reads the scales of
// the tensors.
//
// Source: B. Jacob et al. (2018), section 2.2 and appendix A.2.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_QUANTIZED_ARITHMETIC_H_
#define STOWAGE_SRC_HARNESS_KERNELS_QUANTIZED_ARITHMETIC_H_

#include <cstdint>

#include "absl/status/status.h"
#include "src/harness/kernels/fixed_point.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// Error: InvalidArgument unless both inputs and the output are quantised as
// their types are: one scale each, and the zero point of INT16 is 0.
absl::Status CheckQuantizedPair(OperatorContext& context);

// From products of fixed-point arithmetic to the output's values.
struct Target {
  Range<int32_t> range;
  int32_t zero_point;

  // scaled + zero_point within the range, where the sum itself could overflow.
  int32_t Of(int32_t scaled) const {
    const Range<int32_t> shifted = {range.min - zero_point,
                                    range.max - zero_point};
    return shifted.Clamp(scaled) + zero_point;
  }
};

// Both inputs are brought to twice the larger of their scales, with bits to
// spare below the point.
class CommonScale {
 public:
  CommonScale(const Tensor& a, const Tensor& b, int spare_bits);

  double scale() const { return scale_; }
  int32_t First(int32_t x) const {
    return Multiply((x - zero_points_[0]) * (1 << spare_bits_), factors_[0]);
  }
  int32_t Second(int32_t x) const {
    return Multiply((x - zero_points_[1]) * (1 << spare_bits_), factors_[1]);
  }

 private:
  double scale_;
  int spare_bits_;
  int32_t zero_points_[2];
  Multiplier factors_[2];
};

class QuantizedSum {
 public:
  // Of a and b, or of a and -b.
  QuantizedSum(const Tensor& a, const Tensor& b, const Tensor& output,
               Range<int32_t> range, bool is_difference);

  int32_t operator()(int32_t a, int32_t b) const {
    const int32_t second = inputs_.Second(b);
    const int32_t sum = inputs_.First(a) + (is_difference_ ? -second : second);
    return target_.Of(Multiply(sum, factor_));
  }

 private:
  CommonScale inputs_;
  Multiplier factor_;
  Target target_;
  bool is_difference_;
};

class QuantizedProduct {
 public:
  QuantizedProduct(const Tensor& a, const Tensor& b, const Tensor& output,
                   Range<int32_t> range);

  int32_t operator()(int32_t a, int32_t b) const {
    const int32_t product = (a - zero_points_[0]) * (b - zero_points_[1]);
    return target_.Of(Multiply(product, factor_));
  }

 private:
  int32_t zero_points_[2];
  Multiplier factor_;
  Target target_;
};

class QuantizedQuotient {
 public:
  QuantizedQuotient(const Tensor& a, const Tensor& b, const Tensor& output,
                    Range<int32_t> range);

  // `b` is not the zero point.
  int32_t operator()(int32_t a, int32_t b) const;

 private:
  int32_t zero_points_[2];
  Multiplier factor_;
  Target target_;
};

class QuantizedSquaredDifference {
 public:
  QuantizedSquaredDifference(const Tensor& a, const Tensor& b,
                             const Tensor& output, Range<int32_t> range);

  int32_t operator()(int32_t a, int32_t b) const {
    const int32_t difference = inputs_.First(a) - inputs_.Second(b);
    return target_.Of(Multiply(difference * difference, factor_));
  }

 private:
  CommonScale inputs_;
  Multiplier factor_;
  Target target_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_QUANTIZED_ARITHMETIC_H_
