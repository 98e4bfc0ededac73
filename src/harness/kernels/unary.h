// Elementwise operators of one input and one output of its type and shape:
// activations. Values of 8 bits go through a table that Prepare makes with the
// arithmetic for one value.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_UNARY_H_
#define STOWAGE_SRC_HARNESS_KERNELS_UNARY_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class UnaryKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) final;
  absl::Status Invoke(OperatorContext& context) final;

 protected:
  // Error unless the input's type is one that the operator computes, of
  // FLOAT32, INT8, UINT8 and INT16.
  virtual absl::Status CheckType(const OperatorContext& context) const = 0;

  // Reads options; by default there are none.
  virtual absl::Status PrepareOptions(const OperatorContext& context);

  // Works out what Quantized needs; both tensors have one sane scale.
  virtual absl::Status PrepareQuantized(OperatorContext& context) = 0;
  // The output for an input: values of the tensors' type.
  virtual int32_t Quantized(int32_t value) const = 0;

  // `in` and `out` have `count` elements; they may be the same.
  virtual void Real(const float* in, float* out, int64_t count) const = 0;

 private:
  void MakeTable(ElementType type);

  std::array<uint8_t, 256> table_ = {};
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_UNARY_H_
