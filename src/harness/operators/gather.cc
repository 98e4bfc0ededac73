// GATHER: slices of input 0 along an axis, at the indices of input 1. The first
// `batch_dims` dimensions of both are the same, and each batch has indices of
// its own.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::gather {
namespace {

class Gather : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 1,
        {ElementType::kInt16, ElementType::kInt32, ElementType::kInt64}));
    STOWAGE_RETURN_IF_ERROR(ResolveDimensions(context));
    const Shape& from = context.input(0).shape;
    const Shape& indices = context.input(1).shape;
    Shape shape(from.begin(), from.begin() + axis_);
    shape.insert(shape.end(), indices.begin() + batch_dims_, indices.end());
    shape.insert(shape.end(), from.begin() + axis_ + 1, from.end());
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    is_empty_ = absl::c_linear_search(shape, 0);
    if (is_empty_) return absl::OkStatus();
    size_ = from[static_cast<size_t>(axis_)];
    batches_ = FlatSize(from, 0, batch_dims_);
    outer_ = FlatSize(from, batch_dims_, axis_);
    inner_ = FlatSize(from, axis_ + 1, context.input(0).rank());
    indices_ = FlatSize(indices, batch_dims_, context.input(1).rank());
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (is_empty_) return absl::OkStatus();
    switch (context.input(1).type) {
      case ElementType::kInt16:
        return Compute<int16_t>(context);
      case ElementType::kInt32:
        return Compute<int32_t>(context);
      default:
        return Compute<int64_t>(context);
    }
  }

 private:
  absl::Status ResolveDimensions(OperatorContext& context) {
    const auto options = OptionsOf<tflite::GatherOptions>(context.spec());
    if (!options.ok()) return options.status();
    const Tensor& from = context.input(0);
    const Tensor& indices = context.input(1);
    const absl::StatusOr<int> axis =
        ResolveAxis((*options)->axis(), from.rank());
    if (!axis.ok()) return axis.status();
    const int64_t given = (*options)->batch_dims();
    const int64_t batch_dims = given < 0 ? given + indices.rank() : given;
    if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims > *axis) {
      return absl::InvalidArgumentError(absl::StrCat(
          given, " batch dimensions: expected at most the ", indices.rank(),
          " of the indices and the ", *axis, " before the axis"));
    }
    axis_ = *axis;
    batch_dims_ = static_cast<int>(batch_dims);
    for (int d = 0; d < batch_dims_; ++d) {
      if (from.dim(d) == indices.dim(d)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "the inputs have shapes ", ShapeText(from.shape), " and ",
          ShapeText(indices.shape), ": expected the same ", batch_dims_,
          " batch dimensions"));
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
          return absl::InvalidArgumentError(
              absl::StrCat("index ", index, ": expected 0 to ", size_ - 1));
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
  bool is_empty_ = true;
  int64_t batches_ = 0;  // elements of the batch dimensions
  int64_t outer_ = 0;    // of those between them and the axis
  int64_t size_ = 0;     // of the axis
  int64_t inner_ = 0;    // of those after it
  int64_t indices_ = 0;  // for each batch
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("GATHER")
              .Computes(
                  "slices of input 0 along an axis, at the indices of input 1")
              .OfVersions(1, 7)
              .Creates<Gather>()};
}

}  // namespace stowage::harness::gather
