// RELU6: x, within 0 and 6.
#include <memory>

#include "src/harness/kernels/relu.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::relu6 {
namespace {

std::unique_ptr<Kernel> Make() { return MakeRelu({0, 6}); }

}  // namespace

OperatorRegistration Registration() {
  return {"RELU6", false, 1, 3, InPlace::kInput0, false, Make};
}

}  // namespace stowage::harness::relu6
