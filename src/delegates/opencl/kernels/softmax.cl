// SPDX-License-Identifier: Apache-2.0
// Runs SOFTMAX. A work-item computes one row. Rows of 8-bit elements are
// computed with fixed-point numbers. The table `exponentials` has the
// exponential of each possible difference from the largest element of a row.
#if IS_FLOAT

__kernel void NAME(softmax)(__global const T* restrict input,
                            __global T* restrict output,
                            struct SoftmaxParameters p) {
  const int row = get_global_id(0);
  if (row >= p.items) return;
  __global const T* const in = input + row * p.depth;
  __global T* const out = output + row * p.depth;
  float largest = -FLT_MAX;
  for (int c = 0; c < p.depth; ++c) largest = max(largest, in[c]);
  float sum = 0;
  for (int c = 0; c < p.depth; ++c) {
    out[c] = exp((in[c] - largest) * p.beta);
    sum += out[c];
  }
  for (int c = 0; c < p.depth; ++c) out[c] /= sum;
}

#else

#ifndef STOWAGE_RECIPROCAL
#define STOWAGE_RECIPROCAL
// Returns x * 2^bits, saturated.
int ShiftSaturated(int x, int bits) {
  const int threshold = (1 << (31 - bits)) - 1;
  if (x > threshold) return INT_MAX;
  return x < -threshold ? INT_MIN : x << bits;
}

// Returns 1 / (1 + x) for x in [0, 1), both in Q0, by Newton's method in Q2.
int OneOverOnePlus(int x) {
  const long sum = (long)x + INT_MAX;
  const int half_denominator = (int)((sum + (sum >= 0 ? 1 : -1)) / 2);
  int y = 1515870810 + HighProduct(half_denominator, -1010580540);
  for (int i = 0; i < 3; ++i) {
    const int rest = (1 << 29) - HighProduct(half_denominator, y);
    y += ShiftSaturated(HighProduct(y, rest), 2);
  }
  return ShiftSaturated(y, 1);
}
#endif

__kernel void NAME(softmax)(__global const T* restrict input,
                            __global const int* restrict exponentials,
                            __global T* restrict output,
                            struct SoftmaxParameters p) {
  const int row = get_global_id(0);
  if (row >= p.items) return;
  __global const T* const in = input + row * p.depth;
  __global T* const out = output + row * p.depth;
  const int sum_bits = 12;  // integer bits of the sum
  T largest = in[0];
  for (int c = 1; c < p.depth; ++c) largest = max(largest, in[c]);
  ulong total = 0;
  for (int c = 0; c < p.depth; ++c) {
    total += (ulong)DivideByPowerOf2(exponentials[largest - in[c]], sum_bits);
  }
  const uint sum = (uint)min(total, (ulong)UINT_MAX);
  const int zeros = clz(sum);
  const int reciprocal = OneOverOnePlus((int)((sum << zeros) - (1u << 31)));
  const int shift = sum_bits - zeros + 31 - 8;
  const int least = (T)-1 < 0 ? -128 : 0;
  for (int c = 0; c < p.depth; ++c) {
    const int fraction =
        HighProduct(reciprocal, exponentials[largest - in[c]]);
    const int result = shift > 31 ? 0 : DivideByPowerOf2(fraction, shift);
    out[c] = (T)(min(result, 255) + least);
  }
}

#endif
