// SPDX-License-Identifier: Apache-2.0
// Registers operators that add padding around a tensor: zeros (PAD), copies of
// one element (PADV2), or reflections of the tensor (MIRROR_PAD).
#include <algorithm>
#include <array>
#include <cstring>

#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::padding {
namespace {

struct DimensionPadding {
  int64_t before = 0;
  int64_t after = 0;
};

// Reads input 1, which has the shape [dimensions of input 0, 2]. Each row
// contains the numbers of elements to add before and after one dimension.
absl::StatusOr<std::vector<DimensionPadding>> PaddingsOf(
    const OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const auto values, IntegersOf(context, 1));
  const int rank = context.input(0).rank();
  const Shape& shape = context.input(1).shape;
  if (shape != Shape{rank, 2}) {
    return RefuseModel(InputPlace(context, 1), ": its shape is ",
                       ShapeText(shape), "; expected [", rank, ", 2]");
  }
  for (const int64_t value : values) {
    if (value >= 0 && value <= INT32_MAX) continue;
    return RefuseModel(InputPlace(context, 1), ": it has a padding of ", value,
                       "; expected 0 to 2^31 - 1");
  }
  std::vector<DimensionPadding> result(static_cast<size_t>(rank));
  for (size_t d = 0; d < result.size(); ++d) {
    result[d] = {values[2 * d], values[2 * d + 1]};
  }
  return result;
}

// Sets the shape of the output to the shape of the input plus the paddings.
absl::Status ResizePadded(OperatorContext& context,
                          const std::vector<DimensionPadding>& paddings) {
  Shape shape = context.input(0).shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t size = paddings[d].before + shape[d] + paddings[d].after;
    if (size > INT32_MAX) {
      return RefuseModel("dimension ", d, " has ", size,
                         " elements with its padding; expected below 2^31");
    }
    shape[d] = static_cast<int32_t>(size);
  }
  return context.ResizeOutput(0, shape);
}

// Returns the position in the output of the first element of the input.
int64_t CornerOf(const std::vector<DimensionPadding>& paddings,
                 const std::vector<int64_t>& strides) {
  int64_t corner = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    corner += paddings[d].before * strides[d];
  }
  return corner;
}

class Pad : public DataShapedKernel {
 public:
  // If `has_value` is true, the padding element is input 2; otherwise it is
  // zero.
  explicit Pad(bool has_value) : DataShapedKernel({1}), has_value_(has_value) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    const size_t inputs = has_value_ ? 3 : 2;
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, inputs, inputs, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    if (!has_value_) {
      return context.output(0).quantization.is_quantized()
                 ? CheckOutputQuantized(context, 0)
                 : absl::OkStatus();
    }
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 2, {context.input(0).type}));
    return CheckInputIsOneElement(context, 2);
  }

  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const auto paddings, PaddingsOf(context));
    STOWAGE_RETURN_IF_ERROR(ResizePadded(context, paddings));
    const Shape& from = context.input(0).shape;
    const std::vector<int64_t> to = Strides(context.output(0).shape);
    copy_ =
        BoxCopy(ZipAxes(from, Strides(from), to), 0, CornerOf(paddings, to));
    return absl::OkStatus();
  }

  absl::Status Run(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    std::array<uint8_t, 16> element = {};
    if (has_value_) {
      std::memcpy(element.data(), context.input(2).data,
                  context.input(2).bytes);
    } else if (QuantizedTypes::Has(output.type)) {
      // The bytes of the zero point are little-endian, so its low bytes are its
      // value in a narrower type.
      const int32_t zero_point = output.quantization.zero_point();
      std::memcpy(element.data(), &zero_point, sizeof(zero_point));
    }
    if (output.bytes > input.bytes) FillElements(output, element.data());
    copy_.Run(input.data, output.data, ElementBytes(input.type));
    return absl::OkStatus();
  }

  bool has_value_;
  BoxCopy copy_;
};

class MirrorPad : public DataShapedKernel {
 public:
  MirrorPad() : DataShapedKernel({1}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::MirrorPadOptions>(context));
    const tflite::MirrorPadMode mode = options->mode();
    if (mode != tflite::MirrorPadMode::REFLECT &&
        mode != tflite::MirrorPadMode::SYMMETRIC) {
      return RefuseModel("its mode is number ", static_cast<int>(mode),
                         "; expected REFLECT or SYMMETRIC");
    }
    skipped_ = mode == tflite::MirrorPadMode::REFLECT ? 1 : 0;
    return absl::OkStatus();
  }

  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const auto paddings, PaddingsOf(context));
    const Shape& from = context.input(0).shape;
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t max = std::max<int64_t>(from[d] - skipped_, 0);
      const auto [before, after] = paddings[d];
      if (before > max || after > max) {
        return RefuseModel("dimension ", d, ", ", from[d], ", is padded by ",
                           before, " and ", after, "; expected at most ", max);
      }
    }
    STOWAGE_RETURN_IF_ERROR(ResizePadded(context, paddings));
    Place(from, context.output(0).shape, paddings);
    return absl::OkStatus();
  }

  // Plans the copies: the input is copied to the middle of the output, and then
  // the dimensions are reflected one after another, beginning with the last.
  // The reflection of a dimension includes everything that has been written
  // before.
  void Place(const Shape& from, const Shape& to,
             const std::vector<DimensionPadding>& paddings) {
    const std::vector<int64_t> strides = Strides(to);
    // The first position that has been written so far.
    int64_t corner = CornerOf(paddings, strides);
    middle_ = BoxCopy(ZipAxes(from, Strides(from), strides), 0, corner);
    std::vector<BoxCopy::Axis> axes = ZipAxes(from, strides, strides);
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

  // The number of outermost elements that are not repeated in the reflection.
  int64_t skipped_ = 0;
  BoxCopy middle_;                    // copies from the input
  std::vector<BoxCopy> reflections_;  // copy within the output
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<MirrorPad>(
          "MIRROR_PAD",
          "a tensor with its own reflection around it, with the "
          "outermost elements (SYMMETRIC) or without (REFLECT)")
          .OfVersions(1, 3),
      Operator<Pad>(
          "PAD",
          "a tensor with zeros around it, or zero points if it is quantized",
          false)
          .OfVersions(1, 4),
      Operator<Pad>("PADV2",
                    "a tensor with copies of one element, input 2, around "
                    "it",
                    true)
          .OfVersions(1, 4)};
}

}  // namespace stowage::harness::padding
