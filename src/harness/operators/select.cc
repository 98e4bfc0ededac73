// SELECT: elements of input 1 where input 0 is true, of input 2 elsewhere. The
// condition has the shape of both, or is one element for each slice of their
// first dimension, or one for all.
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/select_kernel.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::select {
namespace {

class Select : public SelectKernel {
  absl::StatusOr<Shape> ConditionShape(const Shape& condition, const Shape& a,
                                       const Shape& b) const override {
    const bool is_of_slices =
        condition.size() == 1 && !a.empty() && condition[0] == a[0];
    if (a != b || !(condition == a || condition.empty() || is_of_slices)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a condition of shape ", ShapeText(condition), " for shapes ",
          ShapeText(a), " and ", ShapeText(b),
          ": expected equal shapes, or a condition for each first dimension"));
    }
    Shape shape = condition;
    if (is_of_slices) shape.resize(a.size(), 1);
    return shape;
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("SELECT")
          .Computes(
              "elements of input 1 where input 0 is true, of input 2 elsewhere")
          .OfVersions(1, 4)
          .SharesMemoryOf(InPlace::kInput1 | InPlace::kInput2)
          .Creates<Select>()};
}

}  // namespace stowage::harness::select
