// ROUND: the nearest integer, halves to the even one, elementwise.
#include <cmath>
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::round {
namespace {

struct Round {
  float operator()(float x) const {
    const float below = std::floor(x);
    const float fraction = x - below;
    const bool is_odd = std::fmod(below, 2.0F) != 0;
    const bool is_up = fraction > 0.5F || (fraction == 0.5F && is_odd);
    return is_up ? below + 1.0F : below;
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("ROUND")
          .Computes("the nearest integer, halves to the even one, elementwise")
          .SharesMemoryOf(InPlace::kInput0)
          .Creates<FloatKernel<Round>>()};
}

}  // namespace stowage::harness::round
