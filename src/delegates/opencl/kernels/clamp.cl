// SPDX-License-Identifier: Apache-2.0
// RELU and others like it: what is beyond a range becomes its end.
__kernel void NAME(clamp)(__global const T* restrict input,
                          __global T* restrict output,
                          struct ElementParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  output[item] = FloatWithin(input[item], p.target);
}
