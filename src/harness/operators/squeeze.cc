// SQUEEZE: the same elements without the dimensions that the options name, or
// without any of 1 if they name none.
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/unmodified.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::squeeze {
namespace {

class Squeeze : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    const auto options = OptionsOf<tflite::SqueezeOptions>(context.spec());
    if (!options.ok()) return options.status();
    const Tensor& input = context.input(0);
    const auto* dims = (*options)->squeeze_dims();
    const bool goes_if_1 = dims == nullptr || dims->size() == 0;
    std::vector<bool> goes(input.shape.size(), false);
    for (size_t i = 0; !goes_if_1 && i < dims->size(); ++i) {
      const absl::StatusOr<int> axis = ResolveAxis(
          dims->Get(static_cast<flatbuffers::uoffset_t>(i)), input.rank());
      if (!axis.ok()) return axis.status();
      if (input.dim(*axis) != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat(InputPlace(context, 0), ": its dimension ", *axis,
                         " is ", input.dim(*axis), ": expected 1"));
      }
      goes[static_cast<size_t>(*axis)] = true;
    }
    Shape shape;
    for (size_t d = 0; d < goes.size(); ++d) {
      const bool stays = goes_if_1 ? input.shape[d] != 1 : !goes[d];
      if (stays) shape.push_back(input.shape[d]);
    }
    return context.ResizeOutput(0, shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    CopyUnmodified(context);
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SQUEEZE")
              .Computes("the same elements without the dimensions that the "
                        "options name, or without any of 1 if they name none")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kUnmodified | InPlace::kInput0)
              .Creates<Squeeze>()};
}

}  // namespace stowage::harness::squeeze
