// SPDX-License-Identifier: Apache-2.0
// Registers the comparisons and the logical operators, one in each row of a
// table. They are elementwise functions of two tensors of the same type, with
// broadcasting, and return BOOL. Quantized 8-bit numbers are compared by their
// real values, rounded to 8 fractional bits.
#include <functional>

#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::comparison {
namespace {

using Numbers = TypeList<float, int32_t, int64_t, int16_t, int8_t, uint8_t>;
using NumbersAndBools =
    TypeList<float, int32_t, int64_t, int16_t, int8_t, uint8_t, Bool>;
using Bytes = TypeList<int8_t, uint8_t>;

// Converts quantized numbers to their real values, in units of 1/256.
class Rescaled {
 public:
  explicit Rescaled(const Tensor& tensor)
      : zero_point_(tensor.quantization.zero_point()),
        factor_(QuantizeMultiplier(double{tensor.quantization.scale()})) {}

  int32_t operator()(int32_t value) const {
    return Multiply((value - zero_point_) * 256, factor_);
  }

 private:
  int32_t zero_point_;
  Multiplier factor_;
};

// Compares two tensors. Compare(a, b) must compare a pair of elements; it is
// std::less for LESS.
template <typename Types, typename Compare>
class Comparison : public BinaryKernel {
 public:
  absl::Status Invoke(OperatorContext& context) override {
    return DispatchType(Types(), context.input(0).type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (Bytes::Has(kElementTypeOf<T>)) {
        const Rescaled first(context.input(0));
        const Rescaled second(context.input(1));
        Compute<T, Bool>(context, [first, second](T a, T b) {
          return Bool(Compare()(first(a), second(b)));
        });
      } else {
        Compute<T, Bool>(context,
                         [](T a, T b) { return Bool(Compare()(a, b)); });
      }
    });
  }

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Types()));
    const ElementType type = context.input(0).type;
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {type}));
    SetOutputType(context, 0, ElementType::kBool);
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {ElementType::kBool}));
    if (!Bytes::Has(type)) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    return CheckInputQuantized(context, 1);
  }
};

template <typename Compare, typename Types>
OperatorRegistration Row(const char* name, const char* what, Types /*types*/) {
  return Operator<Comparison<Types, Compare>>(
      name, absl::StrCat(what, ", elementwise, with broadcasting"));
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  const InPlace either = InPlace::kInput0 | InPlace::kInput1;
  const NumbersAndBools all;
  return {
      Row<std::equal_to<>>("EQUAL", "a == b", all).OfVersions(1, 4),
      Row<std::greater<>>("GREATER", "a > b", Numbers()).OfVersions(1, 3),
      Row<std::greater_equal<>>("GREATER_EQUAL", "a >= b", Numbers())
          .OfVersions(1, 3),
      Row<std::less<>>("LESS", "a < b", Numbers()).OfVersions(1, 3),
      Row<std::less_equal<>>("LESS_EQUAL", "a <= b", Numbers())
          .OfVersions(1, 3),
      Row<std::not_equal_to<>>("NOT_EQUAL", "a != b", all).OfVersions(1, 3),
      Row<std::logical_and<>>("LOGICAL_AND", "a and b", TypeList<Bool>())
          .SharesMemoryOf(either),
      Row<std::logical_or<>>("LOGICAL_OR", "a or b", TypeList<Bool>())
          .SharesMemoryOf(either),
  };
}

}  // namespace stowage::harness::comparison
