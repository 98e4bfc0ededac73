// SPLIT: input 1 cut into equal slices along the axis in input 0.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/split_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::split {
namespace {

class Split : public SplitKernel {
 public:
  Split() : SplitKernel(1, 0, {0}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    const size_t outputs = context.output_count();
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, outputs));
    const auto options = OptionsOf<tflite::SplitOptions>(context.spec());
    if (!options.ok()) return options.status();
    const int32_t splits = (*options)->num_splits();
    if (splits <= 0 || static_cast<size_t>(splits) != outputs) {
      return absl::InvalidArgumentError(
          absl::StrCat("it has ", outputs, " outputs and ", splits,
                       " slices: expected one output for each slice"));
    }
    return CheckMovable(context, 1);
  }

  absl::StatusOr<std::vector<int64_t>> SlicesOf(OperatorContext& context,
                                                int64_t size) override {
    const size_t count = context.output_count();
    const auto slices = static_cast<int64_t>(count);
    if (size % slices != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the axis has ", size, " elements: expected a multiple ",
                       "of the number of slices, ", slices));
    }
    return std::vector<int64_t>(count, size / slices);
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("SPLIT")
          .Computes("input 1 cut into equal slices along the axis in input 0")
          .OfVersions(1, 4)
          .Creates<Split>()};
}

}  // namespace stowage::harness::split
