// SPDX-License-Identifier: Apache-2.0
// Runs CONV_2D, and also FULLY_CONNECTED as a convolution of images with one
// pixel. A work-item computes four output channels of a pixel, which have
// independent sums. Products are added in the same order as in the kernel of
// the harness.
#if IS_FLOAT
#define SUM float
#define BIAS float
#else
#define SUM uint
#define BIAS int
#endif

__kernel void NAME(conv_2d)(__global const T* restrict input,
                            __global const T* restrict weights,
                            __global const BIAS* restrict bias,
#if !IS_FLOAT
                            __global const struct Factor* restrict factors,
#endif
                            __global T* restrict output,
                            struct FilterParameters p) {
  int rest = get_global_id(0);
  if (rest >= p.items) return;
  const int blocks = (p.group_filters + 3) / 4;
  const int block = rest % blocks * 4;
  rest /= blocks;
  const int group = rest % p.groups;
  rest /= p.groups;
  const int pixel = rest;
  const int out_x = rest % p.out_width;
  rest /= p.out_width;
  const int out_y = rest % p.out_height;
  const int batch = rest / p.out_height;

  const int count = min(4, p.group_filters - block);
  const int first = group * p.group_filters + block;
  const int depth = p.taps_y * p.taps_x * p.group_channels;
  __global const T* const w0 = weights + (long)first * depth;
  // If fewer than four channels remain, the pointers of the missing channels
  // point to the weights of the last channel.
  __global const T* const w1 = w0 + min(1, count - 1) * depth;
  __global const T* const w2 = w0 + min(2, count - 1) * depth;
  __global const T* const w3 = w0 + min(3, count - 1) * depth;
  SUM sum0 = 0;
  SUM sum1 = 0;
  SUM sum2 = 0;
  SUM sum3 = 0;
  for (int ty = 0; ty < p.taps_y; ++ty) {
    const int y = out_y * p.stride_y - p.before_y + ty * p.dilation_y;
    if (y < 0 || y >= p.in_height) continue;
    for (int tx = 0; tx < p.taps_x; ++tx) {
      const int x = out_x * p.stride_x - p.before_x + tx * p.dilation_x;
      if (x < 0 || x >= p.in_width) continue;
      __global const T* const from =
          input + ((batch * p.in_height + y) * p.in_width + x) * p.in_channels +
          group * p.group_channels;
      const int at = (ty * p.taps_x + tx) * p.group_channels;
      for (int c = 0; c < p.group_channels; ++c) {
#if IS_FLOAT
        const float value = from[c];
        sum0 += value * w0[at + c];
        sum1 += value * w1[at + c];
        sum2 += value * w2[at + c];
        sum3 += value * w3[at + c];
#else
        const int value = from[c] - p.input_zero;
        sum0 += (uint)(value * (w0[at + c] - p.weights_zero));
        sum1 += (uint)(value * (w1[at + c] - p.weights_zero));
        sum2 += (uint)(value * (w2[at + c] - p.weights_zero));
        sum3 += (uint)(value * (w3[at + c] - p.weights_zero));
#endif
      }
    }
  }
  const SUM sums[4] = {sum0, sum1, sum2, sum3};
  __global T* const to = output + pixel * p.groups * p.group_filters + first;
  for (int i = 0; i < count; ++i) {
#if IS_FLOAT
    const float sum = p.has_bias ? sums[i] + bias[first + i] : sums[i];
    to[i] = FloatWithin(sum, p.target);
#else
    const uint sum = p.has_bias ? sums[i] + (uint)bias[first + i] : sums[i];
    to[i] = (T)IntegerAt(Multiply((int)sum, factors[first + i]), p.target);
#endif
  }
}

#undef SUM
#undef BIAS
