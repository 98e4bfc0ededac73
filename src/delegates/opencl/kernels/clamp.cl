// SPDX-License-Identifier: Apache-2.0
// Runs RELU and similar operators, which clamp values to a range.
__kernel void NAME(clamp)(__global const T* restrict input,
                          __global T* restrict output,
                          struct ElementParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  output[item] = FloatWithin(input[item], p.target);
}
