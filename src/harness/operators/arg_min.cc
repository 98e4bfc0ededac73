// ARG_MIN: the index of the smallest element along an axis.
#include <functional>
#include <memory>

#include "src/harness/kernels/arg_extremum.h"

namespace stowage::harness::arg_min {

OperatorRegistration Registration() {
  return {"ARG_MIN", false, 1, 3, InPlace::kNever, false, [] {
            return std::make_unique<ArgExtremum<std::less<>>>();
          }};
}

}  // namespace stowage::harness::arg_min
