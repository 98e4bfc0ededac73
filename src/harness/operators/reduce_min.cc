// REDUCE_MIN: the least of the elements along some axes.
#include <limits>
#include <vector>

#include "src/harness/kernels/reduce_fold.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::reduce_min {
namespace {

struct Min {
  template <typename T>
  static T Initial() {
    return std::numeric_limits<T>::max();
  }
  template <typename T>
  static T Next(T sum, T x) {
    return x < sum ? x : sum;
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("REDUCE_MIN")
              .Computes("the least of the elements along some axes")
              .OfVersions(1, 3)
              .Creates<FoldNumbers<Min>>()};
}

}  // namespace stowage::harness::reduce_min
