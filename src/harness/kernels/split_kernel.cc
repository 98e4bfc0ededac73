#include "src/harness/kernels/split_kernel.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

bool IsPartition(const std::vector<int64_t>& slices, int64_t size) {
  for (const int64_t slice : slices) {
    if (slice < 0 || slice > size) return false;
    size -= slice;
  }
  return size == 0;
}

}  // namespace

absl::Status SplitKernel::Resize(OperatorContext& context) {
  const absl::StatusOr<int64_t> wanted = IntegerOf(context, axis_);
  if (!wanted.ok()) return wanted.status();
  const Tensor& input = context.input(input_);
  const absl::StatusOr<int> axis = ResolveAxis(*wanted, input.rank());
  if (!axis.ok()) return axis.status();
  const int64_t size = input.dim(*axis);
  const auto slices = SlicesOf(context, size);
  if (!slices.ok()) return slices.status();
  if (!IsPartition(*slices, size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its slices are [", absl::StrJoin(*slices, ", "),
                     "]: expected ", size, " in all"));
  }
  copies_.assign(context.output_count(), BoxCopy());
  int64_t start = 0;
  for (size_t i = 0; i < context.output_count(); ++i) {
    const int64_t slice = (*slices)[i];
    Shape shape = input.shape;
    shape[static_cast<size_t>(*axis)] = static_cast<int32_t>(slice);
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(i, shape));
    if (absl::c_linear_search(shape, 0)) continue;
    const int64_t outer = FlatSize(shape, 0, *axis);
    const int64_t inner = FlatSize(shape, *axis + 1, input.rank());
    copies_[i] =
        BoxCopy({{outer, size * inner, slice * inner}, {slice * inner, 1, 1}},
                start * inner);
    start += slice;
  }
  return absl::OkStatus();
}

absl::Status SplitKernel::Run(OperatorContext& context) {
  const Tensor& input = context.input(input_);
  for (size_t i = 0; i < copies_.size(); ++i) {
    copies_[i].Run(input.data, context.output(i).data,
                   ElementBytes(input.type));
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
