// SPLIT_V: input 0 cut into slices along the axis in input 2; their sizes are
// input 1, where one -1 stands for what the others leave.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/split_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::split_v {
namespace {

class SplitV : public SplitKernel {
 public:
  SplitV() : SplitKernel(0, 2, {1, 2}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, context.output_count()));
    return CheckMovable(context, 0);
  }

  absl::StatusOr<std::vector<int64_t>> SlicesOf(OperatorContext& context,
                                                int64_t size) override {
    absl::StatusOr<std::vector<int64_t>> slices = IntegersOf(context, 1);
    if (!slices.ok()) return slices;
    if (slices->size() != context.output_count()) {
      return absl::InvalidArgumentError(
          absl::StrCat(InputPlace(context, 1), ": it has ", slices->size(),
                       " sizes: expected one for each of ",
                       context.output_count(), " outputs"));
    }
    int64_t* open = nullptr;
    int64_t rest = size;
    for (int64_t& slice : *slices) {
      if (slice == -1 && open == nullptr) {
        open = &slice;
      } else if (slice >= 0 && slice <= rest) {
        rest -= slice;
      } else {
        return slices;  // refused for its sum
      }
    }
    if (open != nullptr) *open = rest;
    return slices;
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("SPLIT_V")
          .Computes(
              "input 0 cut into slices along the axis in input 2; their sizes "
              "are input 1, where one -1 stands for what the others leave")
          .OfVersions(1, 2)
          .Creates<SplitV>()};
}

}  // namespace stowage::harness::split_v
