// REDUCE_ANY: whether one of the elements along some axes is true.
#include <vector>

#include "src/harness/kernels/reduce_fold.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::reduce_any {
namespace {

struct Any {
  static bool Initial() { return false; }
  static bool Next(bool sum, bool x) { return sum || x; }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("REDUCE_ANY")
              .Computes("whether one of the elements along some axes is true")
              .OfVersions(1, 2)
              .Creates<FoldBools<Any>>()};
}

}  // namespace stowage::harness::reduce_any
