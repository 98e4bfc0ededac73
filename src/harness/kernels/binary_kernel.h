// SPDX-License-Identifier: Apache-2.0
// Operators with two inputs of one type that are broadcast to one output.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_BINARY_KERNEL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_BINARY_KERNEL_H_

#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {

class BinaryKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) final {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {a.type}));
    STOWAGE_RETURN_IF_ERROR(Check(context));
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape,
                             BroadcastShape(a.shape, b.shape));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    loop_ = BroadcastLoop<2>(shape, {&a.shape, &b.shape});
    return absl::OkStatus();
  }

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
