// SPDX-License-Identifier: Apache-2.0
// Runs MEAN along adjacent dimensions.
#if IS_FLOAT
#define SUM float
#else
#define SUM int
#endif

__kernel void NAME(mean)(__global const T* restrict input,
                         __global T* restrict output,
                         struct MeanParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  __global const T* const from =
      input + item / p.inner * p.count * p.inner + item % p.inner;
  SUM sum = 0;
  for (int i = 0; i < p.count; ++i) sum += from[i * p.inner];
#if IS_FLOAT
  output[item] = sum / (float)p.count;
#else
  output[item] =
      p.rescales
          ? (T)IntegerAt(Multiply(sum - p.input_zeros, p.factor), p.target)
          : (T)(sum / p.count);
#endif
}

#undef SUM
