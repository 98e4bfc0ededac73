// EQUAL: a == b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::equal {

OperatorRegistration Registration() {
  return {"EQUAL", false, 1, 4, InPlace::kNever, false, [] {
            return std::make_unique<Comparison<std::equal_to<>, false>>();
          }};
}

}  // namespace stowage::harness::equal
