// SPDX-License-Identifier: Apache-2.0
// Functions of 8 bits, by a table of all 256 values, which the bytes of the
// input index as unsigned numbers.
__kernel void NAME(look_up)(__global const uchar* restrict input,
                            __global const T* restrict table,
                            __global T* restrict output,
                            struct ElementParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  output[item] = table[input[item]];
}
