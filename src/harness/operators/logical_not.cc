// LOGICAL_NOT: not x, elementwise. Any byte but 0 is true.
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::logical_not {
namespace {

class LogicalNot : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    return PrepareUnary(context, {ElementType::kBool});
  }
  absl::Status Invoke(OperatorContext& context) override {
    ComputeUnary<uint8_t>(
        context, [](uint8_t x) { return static_cast<uint8_t>(x == 0); });
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("LOGICAL_NOT")
              .Computes("not x, elementwise")
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<LogicalNot>()};
}

}  // namespace stowage::harness::logical_not
