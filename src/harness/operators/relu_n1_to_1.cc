// RELU_N1_TO_1: x, within -1 and 1.
#include <memory>

#include "src/harness/kernels/relu.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::relu_n1_to_1 {
namespace {

std::unique_ptr<Kernel> Make() { return MakeRelu({-1, 1}); }

}  // namespace

OperatorRegistration Registration() {
  return {"RELU_N1_TO_1", false, 1, 2, InPlace::kInput0, false, Make};
}

}  // namespace stowage::harness::relu_n1_to_1
