// SPDX-License-Identifier: Apache-2.0
// Loops that compute each element of the output from one element of each
// input. The output may be one of the inputs, in place.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_ELEMENTWISE_H_
#define STOWAGE_SRC_HARNESS_KERNELS_ELEMENTWISE_H_

#include <cstdint>

#include "src/harness/kernels/strided_loop.h"

// In place, every element is read before it is written and never again. GCC
// cannot see that and would compute such loops element by element.
#if defined(__GNUC__) && !defined(__clang__)
#define STOWAGE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define STOWAGE_INDEPENDENT_ITERATIONS
#endif

namespace stowage::harness {

// output[i] = f(input[i]).
template <typename In, typename Out, typename F>
void ForEachElement(const In* input, Out* output, int64_t count, F f) {
  STOWAGE_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < count; ++i) output[i] = f(input[i]);
}

// output = f(a, b) for a loop whose streams are output, a and b.
template <typename In, typename Out, typename F>
void ForEachPair(const StridedLoop<3>& loop, const In* a, const In* b,
                 Out* output, F f) {
  const int64_t n = loop.inner().extent;
  const bool a_repeats = loop.inner().strides[1] == 0;
  const bool b_repeats = loop.inner().strides[2] == 0;
  loop.ForEachRow({}, [=](const StridedLoop<3>::Offsets& at) {
    Out* to = output + at[0];
    const In* x = a + at[1];
    const In* y = b + at[2];
    if (a_repeats) {
      const In first = *x;
      STOWAGE_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) to[i] = f(first, y[i]);
    } else if (b_repeats) {
      const In second = *y;
      STOWAGE_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) to[i] = f(x[i], second);
    } else {
      STOWAGE_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) to[i] = f(x[i], y[i]);
    }
  });
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_ELEMENTWISE_H_
