// REDUCE_ALL: whether all elements along some axes are true.
#include <memory>

#include "src/harness/kernels/reduce_fold.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::reduce_all {
namespace {

struct All {
  static bool Initial() { return true; }
  static bool Next(bool sum, bool x) { return sum && x; }
};

}  // namespace

OperatorRegistration Registration() {
  return {"REDUCE_ALL", false, 1, 2, InPlace::kNever, false, [] {
            return std::make_unique<FoldBools<All>>();
          }};
}

}  // namespace stowage::harness::reduce_all
