// SPDX-License-Identifier: Apache-2.0
// Computes a function of 8-bit values with a table of all 256 results. Each
// input byte, as an unsigned number, is an index into the table.
__kernel void NAME(look_up)(__global const uchar* restrict input,
                            __global const T* restrict table,
                            __global T* restrict output,
                            struct ElementParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  output[item] = table[input[item]];
}
