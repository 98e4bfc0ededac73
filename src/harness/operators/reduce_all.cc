// REDUCE_ALL: whether all elements along some axes are true.
#include <vector>

#include "src/harness/kernels/reduce_fold.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::reduce_all {
namespace {

struct All {
  static bool Initial() { return true; }
  static bool Next(bool sum, bool x) { return sum && x; }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("REDUCE_ALL")
              .Computes("whether all elements along some axes are true")
              .OfVersions(1, 2)
              .Creates<FoldBools<All>>()};
}

}  // namespace stowage::harness::reduce_all
