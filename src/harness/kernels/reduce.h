// Reductions: an output element is made of all input elements along some axes.
// Elements are combined in the order in which they lie in memory.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_REDUCE_H_
#define STOWAGE_SRC_HARNESS_KERNELS_REDUCE_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "src/harness/kernels/strided_loop.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// Inputs: a tensor, and its axes; the option keep_dims. Axes that are computed
// are read in Invoke.
class ReduceKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) final;
  absl::Status Invoke(OperatorContext& context) final;

 protected:
  // Checks types and scales.
  virtual absl::Status PrepareType(OperatorContext& context) = 0;

  // Computes the output. Neither it nor the input need have elements.
  virtual absl::Status Reduce(OperatorContext& context) = 0;

  // Input elements to one output element.
  int64_t reduced_elements() const { return reduced_elements_; }

  // For every output element: out = end(the sum of its inputs), where a sum
  // begins as `initial` and add(sum, x) is the next one. The output may not be
  // the input.
  template <typename Sum, typename In, typename Out, typename Add, typename End>
  void ForEachOutput(const In* in, Out* out, Sum initial, Add add,
                     End end) const;

 private:
  absl::Status ReadAxes(OperatorContext& context);

  bool keep_dims_ = false;
  int64_t reduced_elements_ = 0;
  // Along the dimensions that stay: the output, the input.
  StridedLoop<2> kept_;
  // Along the others: the input.
  StridedLoop<1> reduced_;
};

template <typename Sum, typename In, typename Out, typename Add, typename End>
void ReduceKernel::ForEachOutput(const In* in, Out* out, Sum initial, Add add,
                                 End end) const {
  constexpr int64_t kBlock = 64;
  const int64_t outputs = kept_.inner().extent;
  const int64_t step = kept_.inner().strides[1];
  const int64_t row_length = reduced_.inner().extent;
  const int64_t row_step = reduced_.inner().strides[0];
  Sum sums[kBlock];
  const auto add_row = [&](const In* from, int64_t count) {
    for (int64_t i = 0; i < row_length; ++i, from += row_step) {
      if (step == 1) {
        for (int64_t c = 0; c < count; ++c) sums[c] = add(sums[c], from[c]);
      } else {
        for (int64_t c = 0; c < count; ++c) {
          sums[c] = add(sums[c], from[c * step]);
        }
      }
    }
  };
  kept_.ForEachRow({}, [&](const StridedLoop<2>::Offsets& at) {
    for (int64_t first = 0; first < outputs; first += kBlock) {
      const int64_t count = std::min(kBlock, outputs - first);
      std::fill_n(sums, count, initial);
      reduced_.ForEachRow({at[1] + first * step},
                          [&](const StridedLoop<1>::Offsets& row) {
                            add_row(in + row[0], count);
                          });
      for (int64_t c = 0; c < count; ++c) out[at[0] + first + c] = end(sums[c]);
    }
  });
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_REDUCE_H_
