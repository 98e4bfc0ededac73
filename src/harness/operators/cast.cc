// CAST: the same numbers in another type, elementwise. Fractions are cut off;
// floating point beyond the range of an integer becomes its nearest end, and
// what is no number 0. Integers that are too wide lose their high bits. As a
// BOOL, all but 0 is true.
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::cast {
namespace {

// A BOOL as it is in memory: any byte but 0 is true.
struct Bool {
  uint8_t byte;
};

template <typename To, typename From>
To Convert(From x) {
  if constexpr (std::is_same_v<From, Bool>) {
    return Convert<To>(static_cast<uint8_t>(x.byte != 0));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return {static_cast<uint8_t>(x != From{0})};
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

// Calls f with a null pointer to the C++ type of `type`, which is one of
// kTypes.
template <typename F>
void WithType(ElementType type, F f) {
  switch (type) {
    case ElementType::kFloat32:
      return f(static_cast<float*>(nullptr));
    case ElementType::kFloat64:
      return f(static_cast<double*>(nullptr));
    case ElementType::kInt8:
      return f(static_cast<int8_t*>(nullptr));
    case ElementType::kUint8:
      return f(static_cast<uint8_t*>(nullptr));
    case ElementType::kInt16:
      return f(static_cast<int16_t*>(nullptr));
    case ElementType::kUint16:
      return f(static_cast<uint16_t*>(nullptr));
    case ElementType::kInt32:
      return f(static_cast<int32_t*>(nullptr));
    case ElementType::kUint32:
      return f(static_cast<uint32_t*>(nullptr));
    case ElementType::kInt64:
      return f(static_cast<int64_t*>(nullptr));
    default:
      return f(static_cast<Bool*>(nullptr));
  }
}

constexpr std::initializer_list<ElementType> kTypes = {
    ElementType::kFloat32, ElementType::kFloat64, ElementType::kInt8,
    ElementType::kUint8,   ElementType::kInt16,   ElementType::kUint16,
    ElementType::kInt32,   ElementType::kUint32,  ElementType::kInt64,
    ElementType::kBool};

class Cast : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, kTypes));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, kTypes));
    return context.ResizeOutput(0, context.input(0).shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    const auto count =
        static_cast<int64_t>(input.bytes / ElementBytes(input.type));
    WithType(input.type, [&](auto* from) {
      WithType(output.type, [&](auto* to) {
        using From = std::remove_pointer_t<decltype(from)>;
        using To = std::remove_pointer_t<decltype(to)>;
        ForEachElement(input.as<From>(), output.as<To>(), count,
                       Convert<To, From>);
      });
    });
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("CAST")
              .Computes("the same numbers in another type, elementwise")
              .OfVersions(1, 7)
              .Creates<Cast>()};
}

}  // namespace stowage::harness::cast
