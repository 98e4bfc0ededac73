// SHAPE: the dimensions of the input, as INT32 or INT64.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::shape {
namespace {

class ShapeOfInput : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(
        context, 0, {ElementType::kInt32, ElementType::kInt64}));
    return context.ResizeOutput(0, {context.input(0).rank()});
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Shape& dims = context.input(0).shape;
    Tensor& output = context.output(0);
    if (output.type == ElementType::kInt32) {
      std::copy(dims.begin(), dims.end(), output.as<int32_t>());
    } else {
      std::copy(dims.begin(), dims.end(), output.as<int64_t>());
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SHAPE")
              .Computes("the dimensions of the input, as INT32 or INT64")
              .Creates<ShapeOfInput>()};
}

}  // namespace stowage::harness::shape
