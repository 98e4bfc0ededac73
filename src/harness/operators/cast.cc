// SPDX-License-Identifier: Apache-2.0
// CAST: the same numbers in another type, elementwise. Fractions are cut off;
// floating point beyond the range of an integer becomes its nearest end, and
// what is no number 0. Integers that are too wide lose their high bits. As a
// BOOL, all but 0 is true.
#include <cmath>
#include <limits>
#include <type_traits>

#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::cast {
namespace {

template <typename To, typename From>
To Convert(From x) {
  if constexpr (std::is_same_v<From, Bool>) {
    return static_cast<To>(static_cast<bool>(x));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool(x != From{0});
  } else if constexpr (std::is_floating_point_v<From> &&
                       std::is_integral_v<To>) {
    // Both ends, and one above, are powers of two: exact in floating point.
    constexpr auto kLow = static_cast<From>(std::numeric_limits<To>::min());
    const From above = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (std::isnan(x)) return 0;
    if (x <= kLow) return std::numeric_limits<To>::min();
    if (x >= above) return std::numeric_limits<To>::max();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

using Types = TypeList<float, double, int8_t, uint8_t, int16_t, uint16_t,
                       int32_t, uint32_t, int64_t, Bool>;

class Cast : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Types()));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, Types()));
    return context.ResizeOutput(0, context.input(0).shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    const auto count =
        static_cast<int64_t>(input.bytes / ElementBytes(input.type));
    return DispatchType(Types(), input.type, [&](auto from) {
      return DispatchType(Types(), output.type, [&](auto to) {
        using From = decltype(from);
        using To = decltype(to);
        ForEachElement(input.as<From>(), output.as<To>(), count,
                       Convert<To, From>);
      });
    });
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<Cast>("CAST", "the same numbers in another type, elementwise")
          .OfVersions(1, 7)};
}

}  // namespace stowage::harness::cast
