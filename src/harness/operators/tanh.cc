// TANH: the hyperbolic tangent.
#include <cmath>

#include "src/harness/kernels/fixed_point_functions.h"
#include "src/harness/kernels/sigmoid.h"
#include "src/harness/kernels/sigmoid16.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::tanh {
namespace {

float Real(float x) { return std::tanh(x); }

}  // namespace

OperatorRegistration Registration() {
  return {"TANH", false, 1, 3, InPlace::kInput0, false, [] {
            return MakeSigmoid({Real, FixedPointTanh, 7, 0, &Sigmoid16::Tanh});
          }};
}

}  // namespace stowage::harness::tanh
