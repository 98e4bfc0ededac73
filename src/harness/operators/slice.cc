// SLICE: a box of the input, from the corner in input 1 and of the size in
// input 2, where -1 stands for all that remains.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/box_kernel.h"
#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::slice {
namespace {

class Slice : public BoxKernel {
 public:
  Slice() : BoxKernel(3) {}

 private:
  absl::Status Resize(OperatorContext& context) override {
    const auto begins = IntegersOf(context, 1);
    if (!begins.ok()) return begins.status();
    const auto sizes = IntegersOf(context, 2);
    if (!sizes.ok()) return sizes.status();
    const Shape& from = context.input(0).shape;
    if (begins->size() != from.size() || sizes->size() != from.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a corner of ", begins->size(), " and a size of ",
                       sizes->size(), " dimensions: expected ", from.size()));
    }
    Shape shape;
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t begin = (*begins)[d];
      int64_t size = (*sizes)[d];
      const bool is_inside = begin >= 0 && begin <= from[d];
      if (is_inside && size == -1) size = from[d] - begin;
      if (!is_inside || size < 0 || size > from[d] - begin) {
        return absl::InvalidArgumentError(absl::StrCat(
            "dimension ", d, " is sliced from ", begin, " with size ",
            (*sizes)[d], ": expected a part of ", from[d], " elements"));
      }
      shape.push_back(static_cast<int32_t>(size));
    }
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    Place(from, *begins, shape);
    return absl::OkStatus();
  }

  void Place(const Shape& from, const std::vector<int64_t>& begins,
             const Shape& shape) {
    const std::vector<int64_t> from_strides = Strides(from);
    const std::vector<int64_t> to_strides = Strides(shape);
    std::vector<BoxCopy::Axis> axes;
    int64_t start = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      axes.push_back({shape[d], from_strides[d], to_strides[d]});
      if (shape[d] > 0) start += begins[d] * from_strides[d];
    }
    copy_ = BoxCopy(axes, start);
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("SLICE")
          .Computes("a box of the input, from the corner in input 1 and of the "
                    "size in input 2, where -1 stands for all that remains")
          .OfVersions(1, 6)
          .Creates<Slice>()};
}

}  // namespace stowage::harness::slice
