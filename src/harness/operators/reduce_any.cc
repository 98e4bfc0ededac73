// REDUCE_ANY: whether one of the elements along some axes is true.
#include <memory>

#include "src/harness/kernels/reduce_fold.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::reduce_any {
namespace {

struct Any {
  static bool Initial() { return false; }
  static bool Next(bool sum, bool x) { return sum || x; }
};

}  // namespace

OperatorRegistration Registration() {
  return {"REDUCE_ANY", false, 1, 2, InPlace::kNever, false, [] {
            return std::make_unique<FoldBools<Any>>();
          }};
}

}  // namespace stowage::harness::reduce_any
