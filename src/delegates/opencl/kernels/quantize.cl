// SPDX-License-Identifier: Apache-2.0
// Runs QUANTIZE for floats. NaN becomes the largest number.
__kernel void NAME(quantize)(__global const float* restrict input,
                             __global T* restrict output,
                             struct QuantizeParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  const float steps = round(input[item] / p.scale);
  const float far = 1e12f;
  const float within = steps < far ? (steps > -far ? steps : -far) : far;
  const long shifted = (long)within + p.target.zero_point;
  output[item] = (T)clamp(shifted, (long)p.target.min, (long)p.target.max);
}
