// NEG: -x, elementwise; integers wrap around.
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/unary_kernel.h"
#include "src/harness/kernels/wrapping.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::neg {
namespace {

template <typename T>
T Negative(T x) {
  return Wrapping(T{0}, x, [](auto a, auto b) { return a - b; });
}

class Neg : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    return PrepareUnary(context, {ElementType::kFloat32, ElementType::kInt32,
                                  ElementType::kInt64});
  }
  absl::Status Invoke(OperatorContext& context) override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        // Not 0 - x, which has no -0.
        ComputeUnary<float>(context, [](float x) { return -x; });
        break;
      case ElementType::kInt32:
        ComputeUnary<int32_t>(context, Negative<int32_t>);
        break;
      default:
        ComputeUnary<int64_t>(context, Negative<int64_t>);
        break;
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("NEG")
              .Computes("-x, elementwise; integers wrap around")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<Neg>()};
}

}  // namespace stowage::harness::neg
