// COS: the cosine of an angle in radians, elementwise.
#include <cmath>
#include <memory>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::cos {
namespace {

struct Cos {
  float operator()(float x) const { return std::cos(x); }
};

}  // namespace

OperatorRegistration Registration() {
  return {"COS", false, 1, 1, InPlace::kInput0, false, [] {
            return std::make_unique<FloatKernel<Cos>>();
          }};
}

}  // namespace stowage::harness::cos
