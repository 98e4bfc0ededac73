// SELECT_V2: elements of input 1 where input 0 is true, of input 2 elsewhere;
// all three are broadcast.
#include <vector>

#include "absl/status/statusor.h"
#include "src/harness/kernels/select_kernel.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::select_v2 {
namespace {

class SelectV2 : public SelectKernel {
  absl::StatusOr<Shape> ConditionShape(const Shape& condition,
                                       const Shape& /*a*/,
                                       const Shape& /*b*/) const override {
    return condition;
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SELECT_V2")
              .Computes("elements of input 1 where input 0 is true, of input 2 "
                        "elsewhere; all three are broadcast")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput1 | InPlace::kInput2)
              .Creates<SelectV2>()};
}

}  // namespace stowage::harness::select_v2
