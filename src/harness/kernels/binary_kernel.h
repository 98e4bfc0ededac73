// Operators with two inputs of one type that are broadcast to one output.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_BINARY_KERNEL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_BINARY_KERNEL_H_

#include "absl/status/status.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/strided_loop.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

class BinaryKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) final;

 protected:
  // What the operator expects of types, quantisation and options, called when
  // there are two inputs of one type and one output.
  virtual absl::Status Check(OperatorContext& context) = 0;

  // output = f(input 0, input 1), as elements of C++ types.
  template <typename In, typename Out, typename F>
  void Compute(OperatorContext& context, F f) const {
    ForEachPair(loop_, context.input(0).as<In>(), context.input(1).as<In>(),
                context.output(0).as<Out>(), f);
  }

 private:
  StridedLoop<3> loop_;  // of the output and the two inputs
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_BINARY_KERNEL_H_
