// TANH: the hyperbolic tangent.
#include <cmath>
#include <vector>

#include "src/harness/kernels/fixed_point_functions.h"
#include "src/harness/kernels/sigmoid.h"
#include "src/harness/kernels/sigmoid16.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::tanh {
namespace {

float Real(float x) { return std::tanh(x); }

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("TANH")
          .Computes("the hyperbolic tangent")
          .OfVersions(1, 3)
          .SharesMemoryOf(InPlace::kInput0)
          .CreatedBy([] {
            return MakeSigmoid({Real, FixedPointTanh, 7, 0, &Sigmoid16::Tanh});
          })};
}

}  // namespace stowage::harness::tanh
