// SPDX-License-Identifier: Apache-2.0
// Registers GATHER and GATHER_ND. GATHER copies slices of input 0 along an
// axis; input 1 contains the indices of these slices. The first `batch_dims`
// dimensions are the same in both inputs, and each batch has its own indices.
#include <cstdint>
#include <cstring>

#include "absl/algorithm/container.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::gather {
namespace {

using Indices = TypeList<int16_t, int32_t, int64_t>;

class Gather : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    SetOutputType(context, 0, context.input(0).type);
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, Indices()));
    STOWAGE_RETURN_IF_ERROR(ResolveDimensions(context));
    const Shape& from = context.input(0).shape;
    const Shape& indices = context.input(1).shape;
    Shape shape(from.begin(), from.begin() + axis_);
    shape.insert(shape.end(), indices.begin() + batch_dims_, indices.end());
    shape.insert(shape.end(), from.begin() + axis_ + 1, from.end());
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    if (absl::c_linear_search(shape, 0)) return absl::OkStatus();
    size_ = from[static_cast<size_t>(axis_)];
    batches_ = FlatSize(from, 0, batch_dims_);
    outer_ = FlatSize(from, batch_dims_, axis_);
    inner_ = FlatSize(from, axis_ + 1, context.input(0).rank());
    indices_ = FlatSize(indices, batch_dims_, context.input(1).rank());
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (context.output(0).bytes == 0) return absl::OkStatus();
    return DispatchType(Indices(), context.input(1).type, [&](auto zero) {
      return Compute<decltype(zero)>(context);
    });
  }

 private:
  absl::Status ResolveDimensions(OperatorContext& context) {
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::GatherOptions>(context));
    const Tensor& from = context.input(0);
    const Tensor& indices = context.input(1);
    STOWAGE_ASSIGN_OR_RETURN(const int axis,
                             ResolveAxis(options->axis(), from.rank()));
    const int64_t given = options->batch_dims();
    const int64_t batch_dims = given < 0 ? given + indices.rank() : given;
    if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims > axis) {
      return RefuseModel(
          "it has ", given, " batch dimensions; expected at most the ",
          indices.rank(), " of the indices and the ", axis, " before the axis");
    }
    axis_ = axis;
    batch_dims_ = static_cast<int>(batch_dims);
    for (int d = 0; d < batch_dims_; ++d) {
      if (from.dim(d) == indices.dim(d)) continue;
      return RefuseModel("the inputs have shapes ", ShapeText(from.shape),
                         " and ", ShapeText(indices.shape),
                         "; expected the same ", batch_dims_,
                         " batch dimensions");
    }
    return absl::OkStatus();
  }

  template <typename Index>
  absl::Status Compute(OperatorContext& context) const {
    const Tensor& input = context.input(0);
    const auto slice = static_cast<size_t>(inner_) * ElementBytes(input.type);
    const auto* const from = input.as<uint8_t>();
    const auto* const indices = context.input(1).as<Index>();
    auto* to = static_cast<uint8_t*>(context.output(0).data);
    for (int64_t block = 0; block < batches_ * outer_; ++block) {
      const Index* row = indices + block / outer_ * indices_;
      for (int64_t i = 0; i < indices_; ++i) {
        const int64_t index = row[i];
        if (index < 0 || index >= size_) {
          return RefuseModel("index ", index, " is out of range; expected ",
                             IndexRange(size_));
        }
        std::memcpy(to,
                    from + static_cast<size_t>(block * size_ + index) * slice,
                    slice);
        to += slice;
      }
    }
    return absl::OkStatus();
  }

  int axis_ = 0;
  int batch_dims_ = 0;
  int64_t batches_ = 0;  // the number of batches
  int64_t outer_ = 0;    // elements between the batch dimensions and the axis
  int64_t size_ = 0;     // elements of the axis
  int64_t inner_ = 0;    // elements after the axis
  int64_t indices_ = 0;  // the number of indices of each batch
};

// Computes GATHER_ND, which copies slices of input 0. Each row of the indices
// is the position of one slice. The last dimension of the indices is the number
// of dimensions of input 0 that a row addresses.
class GatherNd : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    SetOutputType(context, 0, context.input(0).type);
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, Indices()));
    const Shape& from = context.input(0).shape;
    const Shape& indices = context.input(1).shape;
    width_ = indices.empty() ? -1 : indices.back();
    if (width_ < 0 || static_cast<size_t>(width_) > from.size()) {
      return RefuseModel("its indices are ", ShapeText(indices), ", its input ",
                         ShapeText(from),
                         "; expected a last dimension of 0 to ", from.size());
    }
    strides_ = Strides(from);
    Shape shape(indices.begin(), indices.end() - 1);
    shape.insert(shape.end(), from.begin() + width_, from.end());
    return context.ResizeOutput(0, shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (context.output(0).bytes == 0) return absl::OkStatus();
    return DispatchType(Indices(), context.input(1).type, [&](auto zero) {
      return Compute<decltype(zero)>(context);
    });
  }

 private:
  template <typename Index>
  absl::Status Compute(OperatorContext& context) const {
    const Tensor& input = context.input(0);
    const size_t element = ElementBytes(input.type);
    const size_t slice = element * static_cast<size_t>(FlatSize(
                                       input.shape, width_, input.rank()));
    const auto* row = context.input(1).as<Index>();
    auto* to = context.output(0).as<uint8_t>();
    for (const auto* end = to + context.output(0).bytes; to != end;
         to += slice, row += width_) {
      int64_t place = 0;
      for (int d = 0; d < width_; ++d) {
        if (row[d] < 0 || row[d] >= input.dim(d)) {
          return RefuseModel("index ", row[d], " of dimension ", d,
                             " is out of range; expected ",
                             IndexRange(input.dim(d)));
        }
        place += row[d] * strides_[static_cast<size_t>(d)];
      }
      std::memcpy(to,
                  input.as<uint8_t>() + static_cast<size_t>(place) * element,
                  slice);
    }
    return absl::OkStatus();
  }

  int32_t width_ = 0;
  std::vector<int64_t> strides_;  // the strides of the input, in elements
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<Gather>(
              "GATHER",
              "slices of input 0 along an axis, at the indices of input 1")
              .OfVersions(1, 7),
          Operator<GatherNd>(
              "GATHER_ND",
              "slices of input 0 at the positions in the rows of input 1")
              .OfVersions(1, 5)};
}

}  // namespace stowage::harness::gather
