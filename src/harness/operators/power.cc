// SPDX-License-Identifier: Apache-2.0
// Registers POW, the elementwise power of two tensors, with broadcasting.
// Integers wrap around, and their exponents must not be negative.
#include <cmath>

#include "absl/algorithm/container.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::power {
namespace {

using Types = TypeList<float, int32_t>;

int32_t IntegerPower(int32_t base, int32_t exponent) {
  int32_t power = 1;
  const auto product = [](auto x, auto y) { return x * y; };
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power = Wrapping(power, base, product);
    base = Wrapping(base, base, product);
  }
  return power;
}

class Power : public BinaryKernel {
 public:
  absl::Status Invoke(OperatorContext& context) override {
    if (context.input(0).type == ElementType::kFloat32) {
      Compute<float, float>(context,
                            [](float a, float b) { return std::pow(a, b); });
      return absl::OkStatus();
    }
    for (const int32_t exponent : context.input(1).span<int32_t>()) {
      if (exponent >= 0) continue;
      return RefuseModel(InputPlace(context, 1), ": it has the exponent ",
                         exponent, "; expected 0 or more for integers");
    }
    Compute<int32_t, int32_t>(context, IntegerPower);
    return absl::OkStatus();
  }

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    SetOutputType(context, 0, context.input(0).type);
    return CheckOneType(context, 2, Types());
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<Power>("POW",
                          "a to the power of b, elementwise, with broadcasting")
              .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1)};
}

}  // namespace stowage::harness::power
