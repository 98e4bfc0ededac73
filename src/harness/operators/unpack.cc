// UNPACK: a tensor taken apart along an axis, which the outputs do not have.
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

namespace stowage::harness::unpack {
namespace {

class Unpack : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    const size_t count = context.output_count();
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, count));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    const auto options = OptionsOf<tflite::UnpackOptions>(context.spec());
    if (!options.ok()) return options.status();
    const Tensor& input = context.input(0);
    const absl::StatusOr<int> axis =
        ResolveAxis((*options)->axis(), input.rank());
    if (!axis.ok()) return axis.status();
    if (static_cast<size_t>(input.dim(*axis)) != count) {
      return absl::InvalidArgumentError(
          absl::StrCat("it has ", count, " outputs: expected ",
                       input.dim(*axis), ", the elements along axis ", *axis));
    }
    Shape shape = input.shape;
    shape.erase(shape.begin() + *axis);
    for (size_t i = 0; i < count; ++i) {
      STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(i, shape));
    }
    copies_.assign(count, BoxCopy());
    if (absl::c_linear_search(input.shape, 0)) return absl::OkStatus();
    const int64_t outer = FlatSize(shape, 0, *axis);
    const int64_t inner = FlatSize(shape, *axis, input.rank() - 1);
    const auto row = static_cast<int64_t>(count) * inner;
    for (size_t i = 0; i < count; ++i) {
      copies_[i] = BoxCopy({{outer, row, inner}, {inner, 1, 1}},
                           static_cast<int64_t>(i) * inner);
    }
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    for (size_t i = 0; i < copies_.size(); ++i) {
      copies_[i].Run(input.data, context.output(i).data,
                     ElementBytes(input.type));
    }
    return absl::OkStatus();
  }

 private:
  std::vector<BoxCopy> copies_;  // one for each output
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("UNPACK")
              .Computes("a tensor taken apart along an axis, which the outputs "
                        "do not have")
              .OfVersions(1, 4)
              .Creates<Unpack>()};
}

}  // namespace stowage::harness::unpack
