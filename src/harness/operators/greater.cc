// GREATER: a > b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::greater {

OperatorRegistration Registration() {
  return {"GREATER", false, 1, 3, InPlace::kNever, false, [] {
            return std::make_unique<Comparison<std::greater<>, true>>();
          }};
}

}  // namespace stowage::harness::greater
