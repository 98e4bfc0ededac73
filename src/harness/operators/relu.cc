// RELU: max(x, 0).
#include "src/harness/kernels/relu.h"

#include <limits>
#include <memory>

#include "stowage/harness/operator.h"

namespace stowage::harness::relu {
namespace {

std::unique_ptr<Kernel> Make() {
  return MakeRelu({0, std::numeric_limits<float>::infinity()});
}

}  // namespace

OperatorRegistration Registration() {
  return {"RELU", false, 1, 3, InPlace::kInput0, false, Make};
}

}  // namespace stowage::harness::relu
