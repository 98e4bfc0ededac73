#include "src/harness/kernels/select_kernel.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

template <typename T>
void Select(const StridedLoop<4>& loop, OperatorContext& context) {
  const auto* const conditions = context.input(0).as<uint8_t>();
  const T* const a = context.input(1).as<T>();
  const T* const b = context.input(2).as<T>();
  T* const output = context.output(0).as<T>();
  const StridedLoop<4>::Axis& inner = loop.inner();
  loop.ForEachRow({}, [&](const StridedLoop<4>::Offsets& at) {
    for (int64_t i = 0; i < inner.extent; ++i) {
      const bool is_first = conditions[at[1] + i * inner.strides[1]] != 0;
      output[at[0] + i] = is_first ? a[at[2] + i * inner.strides[2]]
                                   : b[at[3] + i * inner.strides[3]];
    }
  });
}

}  // namespace

absl::Status SelectKernel::Prepare(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, {ElementType::kBool}));
  STOWAGE_RETURN_IF_ERROR(CheckInputType(
      context, 1,
      {ElementType::kFloat32, ElementType::kInt8, ElementType::kUint8,
       ElementType::kInt16, ElementType::kInt32, ElementType::kInt64,
       ElementType::kBool}));
  const Shape& a = context.input(1).shape;
  const Shape& b = context.input(2).shape;
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 2, {context.input(1).type}));
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {context.input(1).type}));
  const auto condition = ConditionShape(context.input(0).shape, a, b);
  if (!condition.ok()) return condition.status();
  const absl::StatusOr<Shape> both = BroadcastShape(a, b);
  if (!both.ok()) return both.status();
  const absl::StatusOr<Shape> shape = BroadcastShape(*condition, *both);
  if (!shape.ok()) return shape.status();
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, *shape));
  loop_ = BroadcastLoop<3>(*shape, {&*condition, &a, &b});
  return absl::OkStatus();
}

absl::Status SelectKernel::Invoke(OperatorContext& context) {
  switch (context.input(1).type) {
    case ElementType::kFloat32:
      Select<float>(loop_, context);
      break;
    case ElementType::kInt32:
      Select<int32_t>(loop_, context);
      break;
    case ElementType::kInt64:
      Select<int64_t>(loop_, context);
      break;
    case ElementType::kInt16:
      Select<int16_t>(loop_, context);
      break;
    default:
      Select<uint8_t>(loop_, context);
      break;
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
