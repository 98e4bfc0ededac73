// SPDX-License-Identifier: Apache-2.0
// Runs PAD, which surrounds the input with copies of one value.
__kernel void NAME(pad)(__global const T* restrict input,
                        __global T* restrict output, struct PadParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  int rest = item;
  int at = 0;
  int stride = 1;
  bool is_inside = true;
  for (int d = 3; d >= 0; --d) {
    const int index = rest % p.out_extents[d] - p.before[d];
    rest /= p.out_extents[d];
    is_inside = is_inside && index >= 0 && index < p.in_extents[d];
    at += index * stride;
    stride *= p.in_extents[d];
  }
#if IS_FLOAT
  const float value = as_float(p.value);
#else
  const T value = (T)p.value;
#endif
  output[item] = is_inside ? input[at] : value;
}
