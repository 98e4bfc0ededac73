// LOGICAL_AND: a and b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/logical.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::logical_and {

OperatorRegistration Registration() {
  return {"LOGICAL_AND",
          false,
          1,
          1,
          InPlace::kInput0 | InPlace::kInput1,
          false,
          [] { return std::make_unique<Logical<std::logical_and<>>>(); }};
}

}  // namespace stowage::harness::logical_and
