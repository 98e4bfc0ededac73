// RELU_N1_TO_1: x, within -1 and 1.
#include <memory>
#include <vector>

#include "src/harness/kernels/relu.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::relu_n1_to_1 {
namespace {

std::unique_ptr<Kernel> Make() { return MakeRelu({-1, 1}); }

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("RELU_N1_TO_1")
              .Computes("x, within -1 and 1")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput0)
              .CreatedBy(Make)};
}

}  // namespace stowage::harness::relu_n1_to_1
