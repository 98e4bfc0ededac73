// SPDX-License-Identifier: Apache-2.0
// Registers operators that output the elements of the input in another shape:
// RESHAPE, EXPAND_DIMS, SQUEEZE, and DENSIFY. The sparse constant of DENSIFY
// has already been unpacked by the model reader. None of these operators copies
// anything if the output shares the memory of the input.
#include <cstring>

#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::reshaping {
namespace {

absl::Status CopyUnmodified(OperatorContext& context) {
  const Tensor& input = context.input(0);
  Tensor& output = context.output(0);
  if (input.data != output.data && input.bytes > 0) {
    std::memcpy(output.data, input.data, input.bytes);
  }
  return absl::OkStatus();
}

class ExpandDims : public DataShapedKernel {
 public:
  ExpandDims() : DataShapedKernel({1}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    SetOutputType(context, 0, context.input(0).type);
    return CheckMovable(context, 0);
  }

  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const int64_t wanted, IntegerOf(context, 1));
    Shape shape = context.input(0).shape;
    STOWAGE_ASSIGN_OR_RETURN(const int axis,
                             ResolveAxis(wanted, context.input(0).rank() + 1));
    shape.insert(shape.begin() + axis, 1);
    return context.ResizeOutput(0, shape);
  }

  absl::Status Run(OperatorContext& context) override {
    return CopyUnmodified(context);
  }
};

absl::Status PrepareSqueeze(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
  STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                           OptionsOf<tflite::SqueezeOptions>(context));
  const Tensor& input = context.input(0);
  const auto* dims = options->squeeze_dims();
  const bool goes_if_1 = dims == nullptr || dims->size() == 0;
  std::vector<bool> goes(input.shape.size(), false);
  for (size_t i = 0; !goes_if_1 && i < dims->size(); ++i) {
    STOWAGE_ASSIGN_OR_RETURN(
        const int axis,
        ResolveAxis(dims->Get(static_cast<flatbuffers::uoffset_t>(i)),
                    input.rank()));
    if (input.dim(axis) != 1) {
      return RefuseModel(InputPlace(context, 0), ": its dimension ", axis,
                         " is ", input.dim(axis), "; expected 1");
    }
    goes[static_cast<size_t>(axis)] = true;
  }
  Shape shape;
  for (size_t d = 0; d < goes.size(); ++d) {
    const bool stays = goes_if_1 ? input.shape[d] != 1 : !goes[d];
    if (stays) shape.push_back(input.shape[d]);
  }
  return context.ResizeOutput(0, shape);
}

absl::Status PrepareDensify(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
  if (!context.input(0).is_constant()) {
    return RefuseModel(InputPlace(context, 0),
                       ": it is computed; expected a constant");
  }
  return context.ResizeOutput(0, context.input(0).shape);
}

// Returns the requested shape, with -1 replaced by the number for which the
// shape has `elements` elements.
absl::StatusOr<Shape> ResolveShape(Shape shape, int64_t elements) {
  int open = -1;
  int64_t known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && open < 0) {
      open = static_cast<int>(i);
    } else if (shape[i] < 0 || known > INT32_MAX) {
      return RefuseModel("the new shape is ", ShapeText(shape),
                         "; expected dimensions of 0 or more, and one -1");
    } else {
      known *= shape[i];
    }
  }
  if (open >= 0 && known > 0 && elements % known == 0 &&
      elements / known <= INT32_MAX) {
    shape[static_cast<size_t>(open)] = static_cast<int32_t>(elements / known);
    known = elements;
  }
  if (known == elements) return shape;
  return RefuseModel("the new shape is ", ShapeText(shape), "; expected ",
                     elements, " elements");
}

class Reshape : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 2, 1));
    const Tensor& input = context.input(0);
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
    // If another operator computes the shape, the output keeps the shape that
    // the model declares, because converters declare the correct shape.
    // However, if the declared shape and the input have different numbers of
    // elements, the shape is read from input 1 in Invoke.
    shape_is_computed_ = context.has_input(1) && !context.input(1).is_known() &&
                         context.output(0).elements() != input.elements();
    if (shape_is_computed_) {
      context.MakeOutputDynamic(0);
      return CheckInputType(context, 1, {ElementType::kInt32});
    }
    return Resize(context);
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (shape_is_computed_) {
      STOWAGE_RETURN_IF_ERROR(Resize(context));
    }
    return CopyUnmodified(context);
  }

 private:
  absl::Status Resize(OperatorContext& context) {
    STOWAGE_ASSIGN_OR_RETURN(const Shape wanted, WantedShape(context));
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape,
                             ResolveShape(wanted, context.input(0).elements()));
    return context.ResizeOutput(0, shape);
  }

  absl::StatusOr<Shape> WantedShape(OperatorContext& context) const {
    if (context.has_input(1) &&
        (shape_is_computed_ || context.input(1).is_known())) {
      STOWAGE_RETURN_IF_ERROR(
          CheckInputType(context, 1, {ElementType::kInt32}));
      const Tensor& given = context.input(1);
      // In some models, nothing writes input 1. This is valid only if the
      // output has the correct number of elements in the model.
      if (given.data == nullptr && given.bytes > 0) {
        return RefuseModel(InputPlace(context, 1),
                           ": nothing writes it, and the output has ",
                           context.output(0).elements(), " elements; expected ",
                           context.input(0).elements(),
                           ", or an operator, data or a graph input");
      }
      const auto dims = given.span<int32_t>();
      return Shape(dims.begin(), dims.end());
    }
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::ReshapeOptions>(context));
    if (!context.has_input(1) && options->new_shape() != nullptr) {
      const auto* dims = options->new_shape();
      return Shape(dims->begin(), dims->end());
    }
    return context.output(0).shape;
  }

  bool shape_is_computed_ = false;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  constexpr InPlace kUnmodified = InPlace::kUnmodified | InPlace::kInput0;
  return {
      Operator<FunctionKernel>("DENSIFY", "a sparse constant as a dense tensor",
                               PrepareDensify, CopyUnmodified)
          .FoldsConstants(),
      Operator<ExpandDims>("EXPAND_DIMS",
                           "the same elements with one more dimension, of size "
                           "1, at the axis in input 1")
          .SharesMemoryOf(kUnmodified),
      Operator<Reshape>("RESHAPE",
                        "the same elements in another shape; one dimension may "
                        "be -1, which stands for what the others leave")
          .SharesMemoryOf(kUnmodified),
      Operator<FunctionKernel>(
          "SQUEEZE",
          "the same elements without the dimensions in the options, or without "
          "all of size 1 if there are none",
          PrepareSqueeze, CopyUnmodified)
          .OfVersions(1, 2)
          .SharesMemoryOf(kUnmodified),
  };
}

}  // namespace stowage::harness::reshaping
