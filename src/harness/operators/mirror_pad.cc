// MIRROR_PAD: a tensor with its own reflection around it, with the outermost
// elements (SYMMETRIC) or without (REFLECT).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/pad_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::mirror_pad {
namespace {

class MirrorPad : public DataShapedKernel {
 public:
  MirrorPad() : DataShapedKernel({1}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    const auto options = OptionsOf<tflite::MirrorPadOptions>(context.spec());
    if (!options.ok()) return options.status();
    const tflite::MirrorPadMode mode = (*options)->mode();
    if (mode != tflite::MirrorPadMode::REFLECT &&
        mode != tflite::MirrorPadMode::SYMMETRIC) {
      return absl::InvalidArgumentError(
          absl::StrCat("its mode is number ", static_cast<int>(mode),
                       ": expected REFLECT or SYMMETRIC"));
    }
    skipped_ = mode == tflite::MirrorPadMode::REFLECT ? 1 : 0;
    return absl::OkStatus();
  }

  absl::Status Resize(OperatorContext& context) override {
    const auto paddings = PaddingsOf(context);
    if (!paddings.ok()) return paddings.status();
    const Shape& from = context.input(0).shape;
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t most = std::max<int64_t>(from[d] - skipped_, 0);
      const auto [before, after] = (*paddings)[d];
      if (before > most || after > most) {
        return absl::InvalidArgumentError(
            absl::StrCat("dimension ", d, ", ", from[d], ", is padded by ",
                         before, " and ", after, ": expected at most ", most));
      }
    }
    const absl::StatusOr<Shape> to = PaddedShape(from, *paddings);
    if (!to.ok()) return to.status();
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, *to));
    Place(from, *to, *paddings);
    return absl::OkStatus();
  }

  // The input goes to the middle; then each dimension, the last first, is
  // reflected with all that is there by then.
  void Place(const Shape& from, const Shape& to,
             const std::vector<DimensionPadding>& paddings) {
    const std::vector<int64_t> from_strides = Strides(from);
    const std::vector<int64_t> strides = Strides(to);
    std::vector<BoxCopy::Axis> axes(from.size());
    int64_t corner = 0;  // the first element that is there, in the output
    for (size_t d = 0; d < from.size(); ++d) {
      axes[d] = {from[d], from_strides[d], strides[d]};
      corner += paddings[d].before * strides[d];
    }
    middle_ = BoxCopy(axes, 0, corner);
    for (size_t d = 0; d < from.size(); ++d) axes[d].from = strides[d];
    reflections_.clear();
    for (size_t d = from.size(); d-- > 0;) {
      const auto [before, after] = paddings[d];
      const int64_t last = from[d] - 1;
      axes[d] = {before, strides[d], -strides[d]};
      reflections_.emplace_back(axes, corner + skipped_ * strides[d],
                                corner - strides[d]);
      axes[d] = {after, -strides[d], strides[d]};
      reflections_.emplace_back(axes, corner + (last - skipped_) * strides[d],
                                corner + (last + 1) * strides[d]);
      axes[d] = {to[d], strides[d], strides[d]};
      corner -= before * strides[d];
    }
  }

  absl::Status Run(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    const size_t element_bytes = ElementBytes(input.type);
    middle_.Run(input.data, output.data, element_bytes);
    for (const BoxCopy& reflection : reflections_) {
      reflection.Run(output.data, output.data, element_bytes);
    }
    return absl::OkStatus();
  }

  int64_t skipped_ = 0;               // of the outermost elements
  BoxCopy middle_;                    // from the input
  std::vector<BoxCopy> reflections_;  // within the output
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("MIRROR_PAD")
              .Computes("a tensor with its own reflection around it, with the "
                        "outermost elements (SYMMETRIC) or without (REFLECT)")
              .OfVersions(1, 3)
              .Creates<MirrorPad>()};
}

}  // namespace stowage::harness::mirror_pad
