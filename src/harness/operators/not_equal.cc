// NOT_EQUAL: a != b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::not_equal {

OperatorRegistration Registration() {
  return {"NOT_EQUAL", false, 1, 3, InPlace::kNever, false, [] {
            return std::make_unique<Comparison<std::not_equal_to<>, false>>();
          }};
}

}  // namespace stowage::harness::not_equal
