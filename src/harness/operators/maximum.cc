// MAXIMUM: the larger of a and b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/extremum.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::maximum {

OperatorRegistration Registration() {
  return {
      "MAXIMUM", false, 1, 4, InPlace::kInput0 | InPlace::kInput1, false, [] {
        return std::make_unique<Extremum<std::greater<>>>();
      }};
}

}  // namespace stowage::harness::maximum
