// SPDX-License-Identifier: Apache-2.0
// Activations: elementwise operators of one input and one output of its type
// and shape. Values of 8 bits go through a table that Prepare makes. For
// arithmetic that needs no quantisation, use unary_kernel.h.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_ACTIVATION_H_
#define STOWAGE_SRC_HARNESS_KERNELS_ACTIVATION_H_

#include <array>
#include <functional>

#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {

// What an activation computes with the tensors of one operator: `real` for
// FLOAT32, where `in` and `out` may be the same, `quantized` for other types.
struct Activation {
  std::function<void(const float* in, float* out, int64_t count)> real;
  std::function<int32_t(int32_t value)> quantized;
};

// The activation that computes f(x) of each FLOAT32 element.
template <typename F>
Activation RealActivation(F f) {
  return {[f](const float* in, float* out, int64_t count) {
            ForEachElement(in, out, count, f);
          },
          nullptr};
}

class ActivationKernel : public Kernel {
 public:
  // Called in Prepare, when the types are checked, and for quantised types the
  // scales.
  using Make = std::function<absl::StatusOr<Activation>(OperatorContext&)>;

  // `types`: a TypeList of some of float, int8_t, uint8_t and int16_t.
  template <typename Types>
  ActivationKernel(Types types, Make make)
      : check_type_([types](const OperatorContext& context) {
          return CheckInputType(context, 0, types);
        }),
        make_(std::move(make)) {}

  absl::Status Prepare(OperatorContext& context) override;
  absl::Status Invoke(OperatorContext& context) override;

 private:
  std::function<absl::Status(const OperatorContext&)> check_type_;
  Make make_;
  Activation activation_;
  std::array<uint8_t, 256> table_ = {};
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_ACTIVATION_H_
