// LESS_EQUAL: a <= b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::less_equal {

OperatorRegistration Registration() {
  return {"LESS_EQUAL", false, 1, 3, InPlace::kNever, false, [] {
            return std::make_unique<Comparison<std::less_equal<>, true>>();
          }};
}

}  // namespace stowage::harness::less_equal
