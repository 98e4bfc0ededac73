// RELU: max(x, 0).
#include "src/harness/kernels/relu.h"

#include <limits>
#include <memory>
#include <vector>

#include "stowage/harness/operator.h"

namespace stowage::harness::relu {
namespace {

std::unique_ptr<Kernel> Make() {
  return MakeRelu({0, std::numeric_limits<float>::infinity()});
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("RELU")
              .Computes("max(x, 0)")
              .OfVersions(1, 3)
              .SharesMemoryOf(InPlace::kInput0)
              .CreatedBy(Make)};
}

}  // namespace stowage::harness::relu
