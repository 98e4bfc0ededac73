// CEIL: the smallest integer that is not below x, elementwise.
#include <cmath>
#include <memory>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::ceil {
namespace {

struct Ceil {
  float operator()(float x) const { return std::ceil(x); }
};

}  // namespace

OperatorRegistration Registration() {
  return {"CEIL", false, 1, 1, InPlace::kInput0, false, [] {
            return std::make_unique<FloatKernel<Ceil>>();
          }};
}

}  // namespace stowage::harness::ceil
