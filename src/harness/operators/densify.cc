// SPDX-License-Identifier: Apache-2.0
// DENSIFY: a sparse constant as a dense tensor. The reader of models has
// unpacked it, so that a copy is left to do, once.

#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::densify {
namespace {

class Densify : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckInputConstant(context, 0));
    return context.ResizeOutput(0, context.input(0).shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    if (input.bytes > 0) {
      std::memcpy(context.output(0).data, input.data, input.bytes);
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<Densify>("DENSIFY", "a sparse constant as a dense tensor")
              .FoldsConstants()};
}

}  // namespace stowage::harness::densify
