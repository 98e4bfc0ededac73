// FLOOR: the largest integer that is not above x, elementwise.
#include <cmath>
#include <memory>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::floor {
namespace {

struct Floor {
  float operator()(float x) const { return std::floor(x); }
};

}  // namespace

OperatorRegistration Registration() {
  return {"FLOOR", false, 1, 1, InPlace::kInput0, false, [] {
            return std::make_unique<FloatKernel<Floor>>();
          }};
}

}  // namespace stowage::harness::floor
