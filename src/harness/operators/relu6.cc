// RELU6: x, within 0 and 6.
#include <memory>
#include <vector>

#include "src/harness/kernels/relu.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::relu6 {
namespace {

std::unique_ptr<Kernel> Make() { return MakeRelu({0, 6}); }

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("RELU6")
              .Computes("x, within 0 and 6")
              .OfVersions(1, 3)
              .SharesMemoryOf(InPlace::kInput0)
              .CreatedBy(Make)};
}

}  // namespace stowage::harness::relu6
