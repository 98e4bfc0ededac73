// LOGICAL_OR: a or b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/logical.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::logical_or {

OperatorRegistration Registration() {
  return {"LOGICAL_OR",
          false,
          1,
          1,
          InPlace::kInput0 | InPlace::kInput1,
          false,
          [] { return std::make_unique<Logical<std::logical_or<>>>(); }};
}

}  // namespace stowage::harness::logical_or
