// SPDX-License-Identifier: Apache-2.0
// Registers CONCATENATION, which joins tensors along an axis. UINT8 inputs may
// have different scales; they are converted to the scale of the output.
#include <algorithm>
#include <array>
#include <cmath>

#include "absl/algorithm/container.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::concatenation {
namespace {

bool IsSameScale(const Quantization& a, const Quantization& b) {
  return a.scales == b.scales && a.zero_points == b.zero_points;
}

// Returns whether the input is converted to another scale. Only UINT8 inputs
// are converted; inputs of wider types are copied even if their scales differ.
bool IsRescaled(const Tensor& input, const Tensor& output) {
  return input.type == ElementType::kUint8 &&
         !IsSameScale(input.quantization, output.quantization);
}

// Returns a table that converts UINT8 values from one scale to another. Values
// are computed in single precision and rounded to the nearest integer, with
// halves rounded away from zero.
std::array<uint8_t, 256> RescalingOf(const Quantization& from,
                                     const Quantization& to) {
  const float factor = from.scale() * (1.0F / to.scale());
  const float bias = static_cast<float>(-from.zero_point()) * factor;
  const int32_t zero_point = to.zero_point();
  // The value is clamped to the range before the zero point is added, because
  // the float may be larger than any integer.
  const auto low = static_cast<float>(0 - zero_point);
  const auto high = static_cast<float>(255 - zero_point);
  std::array<uint8_t, 256> table = {};
  for (size_t i = 0; i < table.size(); ++i) {
    const float real = std::round(static_cast<float>(i) * factor + bias);
    const float kept = real > low ? std::min(real, high) : low;
    table[i] = static_cast<uint8_t>(static_cast<int32_t>(kept) + zero_point);
  }
  return table;
}

class Concatenation : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(Check(context));
    const Tensor& first = context.input(0);
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::ConcatenationOptions>(context));
    if (options->fused_activation_function() !=
        tflite::ActivationFunctionType::NONE) {
      return RefuseModel("it has a fused activation; expected none");
    }
    STOWAGE_ASSIGN_OR_RETURN(const int axis,
                             ResolveAxis(options->axis(), first.rank()));
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape, OutputShape(context, axis));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < context.input_count(); ++i) {
      sizes.push_back(context.input(i).dim(axis));
    }
    copies_ = CopiesOfSlices(shape, axis, sizes, true);
    if (!absl::c_linear_search(shape, 0)) outer_ = FlatSize(shape, 0, axis);
    const std::vector<size_t> places =
        PlacesOfSlices(shape, axis, sizes, ElementBytes(first.type));
    for (size_t i = 0; i < places.size(); ++i) {
      if (!IsRescaled(context.input(i), context.output(0))) {
        context.DeclareInputPart(i, 0, places[i]);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    Tensor& output = context.output(0);
    if (output.bytes == 0) return absl::OkStatus();
    int64_t start = 0;
    for (size_t i = 0; i < context.input_count(); ++i) {
      const Tensor& input = context.input(i);
      if (IsRescaled(input, output)) {
        Rescale(input, start, output);
      } else {
        copies_[i].RunUnlessInPlace(input.data, output.data,
                                    ElementBytes(input.type));
      }
      start += input.elements() / outer_;
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Check(OperatorContext& context) {
    const size_t count = std::max(context.input_count(), size_t{1});
    STOWAGE_RETURN_IF_ERROR(CheckOneType(
        context, count,
        TypeList<float, int8_t, uint8_t, int16_t, int32_t, int64_t, Bool>()));
    const ElementType type = context.input(0).type;
    const Quantization& to = context.output(0).quantization;
    for (size_t i = 0; i < count; ++i) {
      const Quantization& from = context.input(i).quantization;
      // Scales matter only for UINT8, INT8 and INT16.
      if (IsSameScale(from, to)) continue;
      if (type == ElementType::kUint8) {
        STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, i));
        STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
      } else if (type == ElementType::kInt8 || type == ElementType::kInt16) {
        return RefuseModel(InputPlace(context, i), ": its scale is ",
                           from.scale(), " and its zero point ",
                           from.zero_point(), "; expected ", to.scale(),
                           " and ", to.zero_point(), ", as its output has");
      }
    }
    return absl::OkStatus();
  }

  static absl::StatusOr<Shape> OutputShape(OperatorContext& context, int axis) {
    Shape shape = context.input(0).shape;
    const auto at = static_cast<size_t>(axis);
    int64_t size = 0;
    for (size_t i = 0; i < context.input_count(); ++i) {
      Shape other = context.input(i).shape;
      if (other.size() == shape.size()) {
        size += other[at];
        shape[at] = other[at];
      }
      if (other != shape) {
        return RefuseModel(InputPlace(context, i), ": its shape is ",
                           ShapeText(other), "; expected ", ShapeText(shape),
                           ", except at axis ", axis);
      }
    }
    if (size > INT32_MAX) {
      return RefuseModel("the axis has ", size,
                         " elements; expected fewer than 2^31");
    }
    shape[at] = static_cast<int32_t>(size);
    return shape;
  }

  // Copies an input to the output and converts it to the scale of the output.
  // `start` is the position within a row of the output at which the row of the
  // input begins.
  void Rescale(const Tensor& input, int64_t start, Tensor& output) const {
    const auto rescaled = RescalingOf(input.quantization, output.quantization);
    const int64_t run = input.elements() / outer_;
    const int64_t row = output.elements() / outer_;
    for (int64_t block = 0; block < outer_; ++block) {
      const uint8_t* from = input.as<uint8_t>() + block * run;
      auto* to = output.as<uint8_t>() + block * row + start;
      for (int64_t j = 0; j < run; ++j) to[j] = rescaled[from[j]];
    }
  }

  // The number of rows, which is the product of the dimensions before the axis.
  int64_t outer_ = 0;
  std::vector<BoxCopy> copies_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<Concatenation>("CONCATENATION",
                                  "tensors one after the other along an axis")
              .OfVersions(1, 4)};
}

}  // namespace stowage::harness::concatenation
