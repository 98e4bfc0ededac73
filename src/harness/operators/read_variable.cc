// READ_VARIABLE: the value of a resource variable. Where the model leaves its
// shape open, it is known only while running.
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::read_variable {
namespace {

class ReadVariable : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 0, {ElementType::kResource}));
    // Converters write a scalar where they do not know the shape.
    if (context.output(0).shape.empty()) context.MakeOutputDynamic(0);
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor* value = context.resources().Get(context.input(0).resource);
    if (value == nullptr) {
      return absl::InvalidArgumentError(
          "the variable has no value: expected that it is assigned before");
    }
    Tensor& output = context.output(0);
    if (output.type != value->type) {
      return absl::InvalidArgumentError(
          absl::StrCat("the variable is ", ElementTypeName(value->type),
                       ": expected ", ElementTypeName(output.type)));
    }
    if (output.storage == Storage::kDynamic) {
      STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, value->shape));
    } else if (output.shape != value->shape) {
      return absl::InvalidArgumentError(
          absl::StrCat("the variable's shape is ", ShapeText(value->shape),
                       ": expected ", ShapeText(output.shape)));
    }
    if (value->bytes > 0) std::memcpy(output.data, value->data, value->bytes);
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("READ_VARIABLE")
              .Computes("the value of a resource variable")
              .Creates<ReadVariable>()};
}

}  // namespace stowage::harness::read_variable
