// SPDX-License-Identifier: Apache-2.0
// Registers operators that stack tensors along a new axis, or split a tensor
// along an axis: PACK, UNPACK, SPLIT and SPLIT_V. CONCATENATION has its own
// file, because it may rescale.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::slices {
namespace {

class Pack : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(Check(context));
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::PackOptions>(context));
    const size_t count = context.input_count();
    const Tensor& first = context.input(0);
    STOWAGE_ASSIGN_OR_RETURN(const int axis,
                             ResolveAxis(options->axis(), first.rank() + 1));
    Shape shape = first.shape;
    shape.insert(shape.begin() + axis, static_cast<int32_t>(count));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    const std::vector<int64_t> sizes(count, 1);
    copies_ = CopiesOfSlices(shape, axis, sizes, true);
    const std::vector<size_t> places =
        PlacesOfSlices(shape, axis, sizes, ElementBytes(first.type));
    for (size_t i = 0; i < places.size(); ++i) {
      context.DeclareInputPart(i, 0, places[i]);
    }
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    Tensor& output = context.output(0);
    for (size_t i = 0; i < copies_.size(); ++i) {
      copies_[i].RunUnlessInPlace(context.input(i).data, output.data,
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
      return RefuseModel(InputPlace(context, i), ": its shape is ",
                         ShapeText(context.input(i).shape), "; expected ",
                         ShapeText(first.shape), ", as input 0 has");
    }
    return absl::OkStatus();
  }

  std::vector<BoxCopy> copies_;  // has one copy for each input
};

absl::Status RunCopies(const std::vector<BoxCopy>& copies, const Tensor& input,
                       OperatorContext& context) {
  for (size_t i = 0; i < copies.size(); ++i) {
    copies[i].RunUnlessInPlace(input.data, context.output(i).data,
                               ElementBytes(input.type));
  }
  return absl::OkStatus();
}

// Declares, for each output, which bytes of input `whole` it consists of.
void DeclareOutputs(const std::vector<int64_t>& sizes, size_t whole, int axis,
                    OperatorContext& context) {
  const Tensor& input = context.input(whole);
  const std::vector<size_t> places =
      PlacesOfSlices(input.shape, axis, sizes, ElementBytes(input.type));
  for (size_t i = 0; i < places.size(); ++i) {
    context.DeclareOutputPart(i, whole, places[i]);
  }
}

class Unpack : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    const size_t count = context.output_count();
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, count));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::UnpackOptions>(context));
    const Tensor& input = context.input(0);
    STOWAGE_ASSIGN_OR_RETURN(const int axis,
                             ResolveAxis(options->axis(), input.rank()));
    if (static_cast<size_t>(input.dim(axis)) != count) {
      return RefuseModel("it has ", count, " outputs; expected ",
                         input.dim(axis), ", the elements along axis ", axis);
    }
    Shape shape = input.shape;
    shape.erase(shape.begin() + axis);
    for (size_t i = 0; i < count; ++i) {
      STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(i, shape));
    }
    const std::vector<int64_t> sizes(count, 1);
    copies_ = CopiesOfSlices(input.shape, axis, sizes, false);
    DeclareOutputs(sizes, 0, axis, context);
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    return RunCopies(copies_, context.input(0), context);
  }

 private:
  std::vector<BoxCopy> copies_;  // has one copy for each output
};

bool IsPartition(const std::vector<int64_t>& slices, int64_t size) {
  for (const int64_t slice : slices) {
    if (slice < 0 || slice > size) return false;
    size -= slice;
  }
  return size == 0;
}

// Returns the sizes of the slices of SPLIT, which are all equal. There is one
// slice for each output.
absl::StatusOr<std::vector<int64_t>> EqualSlices(OperatorContext& context,
                                                 int64_t size) {
  const size_t count = context.output_count();
  const auto slices = static_cast<int64_t>(count);
  if (size % slices == 0) return std::vector<int64_t>(count, size / slices);
  return RefuseModel("the axis has ", size, " elements; expected a multiple ",
                     "of the number of slices, ", slices);
}

// Returns the sizes of the slices of SPLIT_V, which are in input 1. At most one
// of them may be -1, which means all remaining elements.
absl::StatusOr<std::vector<int64_t>> GivenSlices(OperatorContext& context,
                                                 int64_t size) {
  STOWAGE_ASSIGN_OR_RETURN(std::vector<int64_t> slices, IntegersOf(context, 1));
  if (slices.size() != context.output_count()) {
    return RefuseModel(InputPlace(context, 1), ": it has ", slices.size(),
                       " sizes; expected one for each of ",
                       context.output_count(), " outputs");
  }
  int64_t* open = nullptr;
  int64_t rest = size;
  for (int64_t& slice : slices) {
    if (slice == -1 && open == nullptr) {
      open = &slice;
    } else if (slice >= 0 && slice <= rest) {
      rest -= slice;
    } else {
      return slices;  // the caller checks their sum
    }
  }
  if (open != nullptr) *open = rest;
  return slices;
}

// Splits a tensor into slices along one axis.
class Split : public DataShapedKernel {
 public:
  // If `is_given` is true, the sizes of the slices are in input 1, as for
  // SPLIT_V. Otherwise all slices have the same size, as for SPLIT.
  explicit Split(bool is_given)
      : DataShapedKernel(is_given ? std::vector<size_t>{1, 2}
                                  : std::vector<size_t>{0}),
        is_given_(is_given),
        input_(is_given ? 0 : 1),
        axis_(is_given ? 2 : 0) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    const size_t inputs = is_given_ ? 3 : 2;
    const size_t outputs = context.output_count();
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, inputs, inputs, outputs));
    for (size_t i = 0; i < outputs; ++i) {
      SetOutputType(context, i, context.input(input_).type);
    }
    if (is_given_) return CheckMovable(context, input_);
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::SplitOptions>(context));
    const int32_t splits = options->num_splits();
    if (splits <= 0 || static_cast<size_t>(splits) != outputs) {
      return RefuseModel("it has ", outputs, " outputs and ", splits,
                         " slices; expected one output for each slice");
    }
    return CheckMovable(context, input_);
  }

  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const int64_t wanted, IntegerOf(context, axis_));
    const Tensor& input = context.input(input_);
    STOWAGE_ASSIGN_OR_RETURN(const int axis, ResolveAxis(wanted, input.rank()));
    const int64_t size = input.dim(axis);
    STOWAGE_ASSIGN_OR_RETURN(
        const std::vector<int64_t> slices,
        is_given_ ? GivenSlices(context, size) : EqualSlices(context, size));
    if (!IsPartition(slices, size)) {
      return RefuseModel("its slices are [", absl::StrJoin(slices, ", "),
                         "]; expected ", size, " in all");
    }
    Shape shape = input.shape;
    for (size_t i = 0; i < context.output_count(); ++i) {
      shape[static_cast<size_t>(axis)] = static_cast<int32_t>(slices[i]);
      STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(i, shape));
    }
    copies_ = CopiesOfSlices(input.shape, axis, slices, false);
    DeclareOutputs(slices, input_, axis, context);
    return absl::OkStatus();
  }

  absl::Status Run(OperatorContext& context) override {
    return RunCopies(copies_, context.input(input_), context);
  }

  bool is_given_;
  size_t input_;
  size_t axis_;
  std::vector<BoxCopy> copies_;  // has one copy for each output
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<Pack>("PACK", "tensors of one shape stacked along a new axis")
          .OfVersions(1, 4),
      Operator<Split>("SPLIT",
                      "input 1 cut into equal slices along the axis in input 0",
                      false)
          .OfVersions(1, 4),
      Operator<Split>("SPLIT_V",
                      "input 0 cut into slices along the axis in input 2; "
                      "their sizes are input 1, where one -1 stands for what "
                      "the others leave",
                      true)
          .OfVersions(1, 2),
      Operator<Unpack>(
          "UNPACK",
          "a tensor split along an axis, which the outputs do not have")
          .OfVersions(1, 4)};
}

}  // namespace stowage::harness::slices
