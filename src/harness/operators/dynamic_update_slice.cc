// SPDX-License-Identifier: Apache-2.0
// Registers DYNAMIC_UPDATE_SLICE. The output is input 0 with a box replaced by
// input 1, the update. Input 2 contains the corner of the box. If the update
// would reach beyond the tensor, the corner is moved so that the update fits.
#include <algorithm>
#include <cstring>

#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::dynamic_update_slice {
namespace {

class DynamicUpdateSlice : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
    SetOutputType(context, 0, context.input(0).type);
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    const Tensor& whole = context.input(0);
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {whole.type}));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 2, IndexTypes()));
    const Shape& update = context.input(1).shape;
    bool fits = update.size() == whole.shape.size();
    for (size_t d = 0; fits && d < update.size(); ++d) {
      fits = update[d] <= whole.shape[d];
    }
    if (!fits) {
      return RefuseModel(InputPlace(context, 1), ": its shape is ",
                         ShapeText(update), "; expected one that fits into ",
                         ShapeText(whole.shape));
    }
    if (context.input(2).shape != Shape{whole.rank()}) {
      return RefuseModel(InputPlace(context, 2), ": its shape is ",
                         ShapeText(context.input(2).shape), "; expected [",
                         whole.rank(), "]");
    }
    return context.ResizeOutput(0, whole.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& whole = context.input(0);
    const Tensor& update = context.input(1);
    Tensor& output = context.output(0);
    STOWAGE_ASSIGN_OR_RETURN(const auto corner, IntegersOf(context, 2));
    if (output.bytes > 0 && output.data != whole.data) {
      std::memcpy(output.data, whole.data, output.bytes);
    }
    if (update.bytes == 0) return absl::OkStatus();
    const std::vector<int64_t> strides = Strides(whole.shape);
    int64_t start = 0;
    for (size_t d = 0; d < corner.size(); ++d) {
      const int64_t last = whole.shape[d] - update.shape[d];
      start += std::clamp<int64_t>(corner[d], 0, last) * strides[d];
    }
    BoxCopy(ZipAxes(update.shape, Strides(update.shape), strides), 0, start)
        .Run(update.data, output.data, ElementBytes(output.type));
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<DynamicUpdateSlice>(
          "DYNAMIC_UPDATE_SLICE",
          "input 0 with a box replaced by input 1, whose corner is input 2; "
          "a box that would exceed input 0 is moved into it")
          .OfVersions(1, 4)
          .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::dynamic_update_slice
