// PACK: tensors of one shape stacked along a new axis.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::pack {
namespace {

class Pack : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(Check(context));
    const auto options = OptionsOf<tflite::PackOptions>(context.spec());
    if (!options.ok()) return options.status();
    const size_t count = context.input_count();
    const Tensor& first = context.input(0);
    const absl::StatusOr<int> axis =
        ResolveAxis((*options)->axis(), first.rank() + 1);
    if (!axis.ok()) return axis.status();
    Shape shape = first.shape;
    shape.insert(shape.begin() + *axis, static_cast<int32_t>(count));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    copies_.assign(count, BoxCopy());
    if (absl::c_linear_search(shape, 0)) return absl::OkStatus();
    const int64_t outer = FlatSize(first.shape, 0, *axis);
    const int64_t inner = FlatSize(first.shape, *axis, first.rank());
    const auto row = static_cast<int64_t>(count) * inner;
    for (size_t i = 0; i < count; ++i) {
      copies_[i] = BoxCopy({{outer, inner, row}, {inner, 1, 1}}, 0,
                           static_cast<int64_t>(i) * inner);
    }
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    Tensor& output = context.output(0);
    for (size_t i = 0; i < copies_.size(); ++i) {
      copies_[i].Run(context.input(i).data, output.data,
                     ElementBytes(output.type));
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Check(OperatorContext& context) {
    const size_t count = std::max(context.input_count(), size_t{1});
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, count, count, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    const Tensor& first = context.input(0);
    for (size_t i = 1; i < count; ++i) {
      STOWAGE_RETURN_IF_ERROR(CheckInputType(context, i, {first.type}));
      if (context.input(i).shape == first.shape) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(InputPlace(context, i), ": its shape is ",
                       ShapeText(context.input(i).shape), ": expected ",
                       ShapeText(first.shape), ", as input 0 has"));
    }
    return absl::OkStatus();
  }

  std::vector<BoxCopy> copies_;  // one for each input
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("PACK")
              .Computes("tensors of one shape stacked along a new axis")
              .OfVersions(1, 4)
              .Creates<Pack>()};
}

}  // namespace stowage::harness::pack
