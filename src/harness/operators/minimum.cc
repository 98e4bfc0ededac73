// MINIMUM: the smaller of a and b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/extremum.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::minimum {

OperatorRegistration Registration() {
  return {
      "MINIMUM", false, 1, 4, InPlace::kInput0 | InPlace::kInput1, false, [] {
        return std::make_unique<Extremum<std::less<>>>();
      }};
}

}  // namespace stowage::harness::minimum
