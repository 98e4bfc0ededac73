// SQUARE: x * x, elementwise.
#include <memory>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::square {
namespace {

struct Square {
  float operator()(float x) const { return x * x; }
};

}  // namespace

OperatorRegistration Registration() {
  return {"SQUARE", false, 1, 1, InPlace::kInput0, false, [] {
            return std::make_unique<FloatKernel<Square>>();
          }};
}

}  // namespace stowage::harness::square
