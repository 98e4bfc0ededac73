// SPDX-License-Identifier: Apache-2.0
// Registers operators that generate tensors: BROADCAST_ARGS, FILL, ONE_HOT,
// RANGE, RANK, SHAPE and ZEROS_LIKE.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "absl/algorithm/container.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::generation {
namespace {

class Fill : public DataShapedKernel {
 public:
  Fill() : DataShapedKernel({0}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    SetOutputType(context, 0, context.input(1).type);
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 1));
    return CheckInputIsOneElement(context, 1);
  }

  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(context, 0));
    return context.ResizeOutput(0, shape);
  }

  absl::Status Run(OperatorContext& context) override {
    FillElements(context.output(0), context.input(1).data);
    return absl::OkStatus();
  }
};

// Computes ONE_HOT. The output has the axes of input 0 and one additional axis;
// the length of the additional axis is the value of input 1. Each index in
// input 0 becomes a row along this axis: the element at the index is the value
// of input 2, and all other elements are the value of input 3. If the index is
// out of range, all elements of the row are the value of input 3.
class OneHot : public DataShapedKernel {
 public:
  OneHot() : DataShapedKernel({1}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 4, 4, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, IndexTypes()));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 2));
    STOWAGE_RETURN_IF_ERROR(CheckInputIsOneElement(context, 2));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 3, {context.input(2).type}));
    return CheckInputIsOneElement(context, 3);
  }

  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::OneHotOptions>(context));
    STOWAGE_ASSIGN_OR_RETURN(depth_, IntegerOf(context, 1));
    if (depth_ < 0 || depth_ > INT32_MAX) {
      return RefuseModel(InputPlace(context, 1), ": it is ", depth_,
                         "; expected 0 to 2^31 - 1");
    }
    Shape shape = context.input(0).shape;
    const auto rank = static_cast<int>(shape.size());
    STOWAGE_ASSIGN_OR_RETURN(const int axis,
                             ResolveAxis(options->axis(), rank + 1));
    shape.insert(shape.begin() + axis, static_cast<int32_t>(depth_));
    inner_ = absl::c_linear_search(shape, 0)
                 ? 0
                 : FlatSize(shape, axis + 1, rank + 1);
    return context.ResizeOutput(0, shape);
  }

  absl::Status Run(OperatorContext& context) override {
    Tensor& output = context.output(0);
    FillElements(output, context.input(3).data);
    if (output.bytes == 0) return absl::OkStatus();
    const Tensor& on = context.input(2);
    return DispatchType(IndexTypes(), context.input(0).type, [&](auto zero) {
      const auto places = context.input(0).span<decltype(zero)>();
      for (size_t i = 0; i < places.size(); ++i) {
        const int64_t place = places[i];
        if (place < 0 || place >= depth_) continue;
        const auto at = static_cast<int64_t>(i);
        const int64_t element =
            (at / inner_ * depth_ + place) * inner_ + at % inner_;
        std::memcpy(
            output.as<uint8_t>() + static_cast<size_t>(element) * on.bytes,
            on.data, on.bytes);
      }
    });
  }

  int64_t depth_ = 0;
  int64_t inner_ = 0;  // elements after the axis, or 0 if there are no elements
};

// Returns the number of elements of RANGE. A result above 2^31 - 1 may be
// inexact, but the true number is then above 2^31 - 1, too.
template <typename T>
double CountOf(T start, T limit, T delta) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::ceil(static_cast<double>(std::fabs((limit - start) / delta)));
  } else {
    // The difference of two signed 64-bit numbers fits in an unsigned 64-bit
    // number.
    const auto from = static_cast<uint64_t>(start);
    const auto to = static_cast<uint64_t>(limit);
    const auto step = static_cast<uint64_t>(delta);
    const uint64_t distance = start < limit ? to - from : from - to;
    const uint64_t size = delta < 0 ? 0 - step : step;
    const uint64_t count = distance / size + (distance % size > 0 ? 1 : 0);
    return static_cast<double>(count);
  }
}

// Generates `start`, `start + delta` and so on, up to but excluding `limit`.
// Each element is the sum of the previous element and `delta`.
class Range : public DataShapedKernel {
 public:
  Range() : DataShapedKernel({0, 1, 2}) {}

 private:
  using Numbers = TypeList<float, int32_t, int64_t>;

  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
    SetOutputType(context, 0, context.input(0).type);
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 3, Numbers()));
    for (size_t i = 0; i < 3; ++i) {
      STOWAGE_RETURN_IF_ERROR(CheckInputIsOneElement(context, i));
    }
    return absl::OkStatus();
  }

  absl::Status Resize(OperatorContext& context) override {
    return DispatchType(Numbers(), context.input(0).type, [&](auto zero) {
      return ResizeFor<decltype(zero)>(context);
    });
  }

  template <typename T>
  static absl::Status ResizeFor(OperatorContext& context) {
    const T start = *context.input(0).as<T>();
    const T limit = *context.input(1).as<T>();
    const T delta = *context.input(2).as<T>();
    const bool leads_there =
        (start <= limit && delta > 0) || (start >= limit && delta < 0);
    const double count = leads_there ? CountOf(start, limit, delta) : 0;
    if (!leads_there || !(count <= INT32_MAX)) {
      return RefuseModel(
          "from ", start, " to ", limit, " in steps of ", delta,
          "; expected steps that lead there, and fewer than 2^31");
    }
    return context.ResizeOutput(0, {static_cast<int32_t>(count)});
  }

  absl::Status Run(OperatorContext& context) override {
    return DispatchType(Numbers(), context.input(0).type, [&](auto zero) {
      using T = decltype(zero);
      Tensor& output = context.output(0);
      T* const values = output.as<T>();
      T value = *context.input(0).as<T>();
      const T delta = *context.input(2).as<T>();
      for (size_t i = 0; i < output.bytes / sizeof(T); ++i) {
        values[i] = value;
        value = Wrapping(value, delta, [](auto x, auto y) { return x + y; });
      }
    });
  }
};

// Computes BROADCAST_ARGS. The inputs are shapes, and the output is the shape
// to which tensors of these shapes are broadcast.
class BroadcastArgs : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 2, IndexTypes()));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 1, 1, 1));
    return context.ResizeOutput(
        0, {std::max(context.input(0).dim(0), context.input(1).dim(0))});
  }

  absl::Status Invoke(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const Shape a, ShapeOf(context, 0));
    STOWAGE_ASSIGN_OR_RETURN(const Shape b, ShapeOf(context, 1));
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(a, b));
    Tensor& output = context.output(0);
    return DispatchType(IndexTypes(), output.type, [&](auto zero) {
      absl::c_copy(shape, output.as<decltype(zero)>());
    });
  }
};

absl::Status PrepareRank(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {ElementType::kInt32}));
  return context.ResizeOutput(0, {});
}

absl::Status StoreRank(OperatorContext& context) {
  *context.output(0).as<int32_t>() = context.input(0).rank();
  return absl::OkStatus();
}

absl::Status PrepareShape(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, IndexTypes()));
  return context.ResizeOutput(0, {context.input(0).rank()});
}

absl::Status CopyShape(OperatorContext& context) {
  Tensor& output = context.output(0);
  return DispatchType(IndexTypes(), output.type, [&](auto zero) {
    absl::c_copy(context.input(0).shape, output.as<decltype(zero)>());
  });
}

absl::Status PrepareZerosLike(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  SetOutputType(context, 0, context.input(0).type);
  STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
  return context.ResizeOutput(0, context.input(0).shape);
}

absl::Status ClearOutput(OperatorContext& context) {
  Tensor& output = context.output(0);
  if (output.bytes > 0) std::memset(output.data, 0, output.bytes);
  return absl::OkStatus();
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<BroadcastArgs>(
          "BROADCAST_ARGS",
          "the shape to which tensors of the shapes in both inputs are "
          "broadcast"),
      Operator<Fill>("FILL",
                     "a tensor of the shape in input 0, filled with the "
                     "element in input 1")
          .OfVersions(1, 4),
      Operator<OneHot>("ONE_HOT",
                       "a new axis of the length in input 1, with input 2 at "
                       "the positions in input 0 and input 3 elsewhere"),
      Operator<Range>("RANGE",
                      "start, start + delta, ... up to limit, exclusive")
          .OfVersions(1, 2),
      Operator<FunctionKernel>("RANK", "the number of dimensions of the input",
                               PrepareRank, StoreRank),
      Operator<FunctionKernel>("SHAPE",
                               "the dimensions of the input, as INT32 or INT64",
                               PrepareShape, CopyShape),
      Operator<FunctionKernel>("ZEROS_LIKE",
                               "zeros of the input's type and shape",
                               PrepareZerosLike, ClearOutput)
          .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::generation
