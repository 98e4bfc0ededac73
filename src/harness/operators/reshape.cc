// RESHAPE: the same elements in another shape. One dimension may be -1: what
// the others leave.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::reshape {
namespace {

// The shape asked for, with -1 replaced.
absl::StatusOr<Shape> Resolve(Shape shape, int64_t elements) {
  int open = -1;
  int64_t known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && open < 0) {
      open = static_cast<int>(i);
    } else if (shape[i] < 0 || known > INT32_MAX) {
      return absl::InvalidArgumentError(
          absl::StrCat("the new shape is ", ShapeText(shape),
                       ": expected dimensions of 0 or more, and one -1"));
    } else {
      known *= shape[i];
    }
  }
  if (open >= 0 && known > 0 && elements % known == 0 &&
      elements / known <= INT32_MAX) {
    shape[static_cast<size_t>(open)] = static_cast<int32_t>(elements / known);
    known = elements;
  }
  if (known != elements) {
    return absl::InvalidArgumentError(
        absl::StrCat("the new shape is ", ShapeText(shape), ": expected ",
                     elements, " elements"));
  }
  return shape;
}

class Reshape : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 2, 1));
    const Tensor& input = context.input(0);
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
    // A shape that is computed is that of the output in the file, as
    // converters write it, unless that has other elements.
    shape_is_computed_ = context.has_input(1) &&
                         !context.input(1).is_constant() &&
                         context.output(0).elements() != input.elements();
    if (shape_is_computed_) {
      context.MakeOutputDynamic(0);
      return CheckInputType(context, 1, {ElementType::kInt32});
    }
    return Resize(context);
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (shape_is_computed_) STOWAGE_RETURN_IF_ERROR(Resize(context));
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    if (input.data != output.data && input.bytes > 0) {
      std::memcpy(output.data, input.data, input.bytes);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Resize(OperatorContext& context) {
    const absl::StatusOr<Shape> wanted = Wanted(context);
    if (!wanted.ok()) return wanted.status();
    const absl::StatusOr<Shape> shape =
        Resolve(*wanted, context.input(0).elements());
    if (!shape.ok()) return shape.status();
    return context.ResizeOutput(0, *shape);
  }

  absl::StatusOr<Shape> Wanted(OperatorContext& context) const {
    if (context.has_input(1) &&
        (shape_is_computed_ || context.input(1).is_constant())) {
      STOWAGE_RETURN_IF_ERROR(
          CheckInputType(context, 1, {ElementType::kInt32}));
      const auto dims = context.input(1).span<int32_t>();
      return Shape(dims.begin(), dims.end());
    }
    const absl::StatusOr<const tflite::ReshapeOptions*> options =
        OptionsOf<tflite::ReshapeOptions>(context.spec());
    if (!options.ok()) return options.status();
    if (!context.has_input(1) && (*options)->new_shape() != nullptr) {
      const auto* dims = (*options)->new_shape();
      return Shape(dims->begin(), dims->end());
    }
    return context.output(0).shape;
  }

  bool shape_is_computed_ = false;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("RESHAPE")
              .Computes("the same elements in another shape")
              .SharesMemoryOf(InPlace::kUnmodified | InPlace::kInput0)
              .Creates<Reshape>()};
}

}  // namespace stowage::harness::reshape
