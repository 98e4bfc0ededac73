// GREATER_EQUAL: a >= b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::greater_equal {

OperatorRegistration Registration() {
  return {"GREATER_EQUAL", false, 1, 3, InPlace::kNever, false, [] {
            return std::make_unique<Comparison<std::greater_equal<>, true>>();
          }};
}

}  // namespace stowage::harness::greater_equal
