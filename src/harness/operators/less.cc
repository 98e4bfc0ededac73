// LESS: a < b, elementwise, with broadcasting.
#include <functional>
#include <memory>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::less {

OperatorRegistration Registration() {
  return {"LESS", false, 1, 3, InPlace::kNever, false, [] {
            return std::make_unique<Comparison<std::less<>, true>>();
          }};
}

}  // namespace stowage::harness::less
