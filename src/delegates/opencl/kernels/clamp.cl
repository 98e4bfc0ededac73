// SPDX-License-Identifier: Apache-2.0
// RELU and similar operators replace values outside of a range by its nearest
// end.
__kernel void NAME(clamp)(__global const T* restrict input,
                          __global T* restrict output,
                          struct ElementParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  output[item] = FloatWithin(input[item], p.target);
}
