// REDUCE_MAX: the largest of the elements along some axes.
#include <limits>
#include <vector>

#include "src/harness/kernels/reduce_fold.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::reduce_max {
namespace {

struct Max {
  template <typename T>
  static T Initial() {
    return std::numeric_limits<T>::lowest();
  }
  template <typename T>
  static T Next(T sum, T x) {
    return sum < x ? x : sum;
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("REDUCE_MAX")
              .Computes("the largest of the elements along some axes")
              .OfVersions(1, 3)
              .Creates<FoldNumbers<Max>>()};
}

}  // namespace stowage::harness::reduce_max
