// ARG_MAX: the index of the largest element along an axis.
#include <functional>
#include <memory>

#include "src/harness/kernels/arg_extremum.h"

namespace stowage::harness::arg_max {

OperatorRegistration Registration() {
  return {"ARG_MAX", false, 1, 3, InPlace::kNever, false, [] {
            return std::make_unique<ArgExtremum<std::greater<>>>();
          }};
}

}  // namespace stowage::harness::arg_max
