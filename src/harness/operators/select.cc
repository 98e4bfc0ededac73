// SPDX-License-Identifier: Apache-2.0
// Registers SELECT and SELECT_V2. Each output element is the element of input 1
// if the condition (input 0) is true at its position, and the element of input
// 2 otherwise.
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::select {
namespace {

using Types = TypeList<float, int8_t, uint8_t, int16_t, int32_t, int64_t, Bool>;

// Returns the shape with which the condition is broadcast to the two inputs.
// Error: InvalidArgument if the three shapes are incompatible.
using ConditionShape = absl::StatusOr<Shape> (*)(const Shape& condition,
                                                 const Shape& a,
                                                 const Shape& b);

absl::StatusOr<Shape> AsItIs(const Shape& condition, const Shape& /*a*/,
                             const Shape& /*b*/) {
  return condition;
}

// Implements ConditionShape for SELECT: the condition either has the shape of
// both inputs, or has one element for each slice of their first dimension, or
// has a single element.
absl::StatusOr<Shape> OfSlices(const Shape& condition, const Shape& a,
                               const Shape& b) {
  const bool is_of_slices =
      condition.size() == 1 && !a.empty() && condition[0] == a[0];
  if (a != b || !(condition == a || condition.empty() || is_of_slices)) {
    return RefuseModel(
        "its condition is ", ShapeText(condition), ", its inputs ",
        ShapeText(a), " and ", ShapeText(b),
        "; expected equal shapes, or a condition for each first dimension");
  }
  Shape shape = condition;
  if (is_of_slices) shape.resize(a.size(), 1);
  return shape;
}

class Select : public Kernel {
 public:
  explicit Select(ConditionShape condition_shape)
      : condition_shape_(condition_shape) {}

  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, {ElementType::kBool}));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, Types()));
    const ElementType type = context.input(1).type;
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 2, {type}));
    SetOutputType(context, 0, type);
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {type}));
    const Shape& a = context.input(1).shape;
    const Shape& b = context.input(2).shape;
    STOWAGE_ASSIGN_OR_RETURN(const Shape condition,
                             condition_shape_(context.input(0).shape, a, b));
    STOWAGE_ASSIGN_OR_RETURN(const Shape both, BroadcastShape(a, b));
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape,
                             BroadcastShape(condition, both));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    loop_ = BroadcastLoop<3>(shape, {&condition, &a, &b});
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    return DispatchType(Types(), context.input(1).type,
                        [&](auto zero) { Compute<decltype(zero)>(context); });
  }

 private:
  template <typename T>
  void Compute(OperatorContext& context) const {
    const auto* const conditions = context.input(0).as<Bool>();
    const T* const a = context.input(1).as<T>();
    const T* const b = context.input(2).as<T>();
    T* const output = context.output(0).as<T>();
    const StridedLoop<4>::Axis& inner = loop_.inner();
    loop_.ForEachRow({}, [&](const StridedLoop<4>::Offsets& at) {
      for (int64_t i = 0; i < inner.extent; ++i) {
        output[at[0] + i] = conditions[at[1] + i * inner.strides[1]]
                                ? a[at[2] + i * inner.strides[2]]
                                : b[at[3] + i * inner.strides[3]];
      }
    });
  }

  ConditionShape condition_shape_;
  StridedLoop<4> loop_;  // has four streams: output, condition and inputs
};

OperatorRegistration Row(const char* name, const char* what,
                         ConditionShape condition_shape) {
  return OperatorRegistration(name)
      .Computes(what)
      .SharesMemoryOf(InPlace::kInput1 | InPlace::kInput2)
      .Creates<Select>(condition_shape);
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Row("SELECT",
              "elements of input 1 where input 0 is true, of input 2 elsewhere",
              OfSlices)
              .OfVersions(1, 4),
          Row("SELECT_V2",
              "elements of input 1 where input 0 is true, of input 2 "
              "elsewhere; all three are broadcast",
              AsItIs)
              .OfVersions(1, 2)};
}

}  // namespace stowage::harness::select
