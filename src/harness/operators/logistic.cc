// LOGISTIC: 1 / (1 + exp(-x)).
#include <cmath>
#include <vector>

#include "src/harness/kernels/fixed_point_functions.h"
#include "src/harness/kernels/sigmoid.h"
#include "src/harness/kernels/sigmoid16.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::logistic {
namespace {

// The sum is exp(x) below -9 and 1 above 16.6, to the precision of a float;
// exp(-x) of a large -x would be infinite.
float Real(float x) {
  constexpr float kFlat = 16.619047164916992188F;
  constexpr float kExponential = -9.0F;
  if (x > kFlat) return 1.0F;
  if (x < kExponential) return std::exp(x);
  return 1.0F / (1.0F + std::exp(-x));
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("LOGISTIC")
              .Computes("1 / (1 + exp(-x))")
              .OfVersions(1, 3)
              .SharesMemoryOf(InPlace::kInput0)
              .CreatedBy([] {
                return MakeSigmoid(
                    {Real, FixedPointLogistic, 8, -128, &Sigmoid16::Logistic});
              })};
}

}  // namespace stowage::harness::logistic
