// SPDX-License-Identifier: Apache-2.0
// Defines a custom operator that is not part of the project. Build it with
// -DSTOWAGE_EXTRA_OPERATORS=<this file>. It includes only public headers.
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/storage.h"

namespace stowage::harness::triple {
namespace {

class Triple : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    if (context.input_count() != 1 || context.output_count() != 1 ||
        context.input(0).type != ElementType::kFloat32 ||
        context.output(0).type != ElementType::kFloat32) {
      return absl::InvalidArgumentError(
          "expected one input and one output, of FLOAT32");
    }
    return context.ResizeOutput(0, context.input(0).shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    float* const output = context.output(0).as<float>();
    for (int64_t i = 0; i < input.elements(); ++i) {
      output[i] = 3 * input.as<float>()[i];
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("Triple")
              .Computes("3 x, elementwise")
              .IsCustom()
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<Triple>()};
}

}  // namespace stowage::harness::triple
