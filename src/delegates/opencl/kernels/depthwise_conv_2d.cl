// SPDX-License-Identifier: Apache-2.0
// Runs DEPTHWISE_CONV_2D. A work-item computes one output channel of a pixel.
// The weights are [1, taps_y, taps_x, output channels].
#if IS_FLOAT
#define SUM float
#define BIAS float
#else
#define SUM uint
#define BIAS int
#endif

__kernel void NAME(depthwise_conv_2d)(
    __global const T* restrict input, __global const T* restrict weights,
    __global const BIAS* restrict bias,
#if !IS_FLOAT
    __global const struct Factor* restrict factors,
#endif
    __global T* restrict output, struct FilterParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  const int filters = p.in_channels * p.multiplier;
  int rest = item;
  const int filter = rest % filters;
  rest /= filters;
  const int out_x = rest % p.out_width;
  rest /= p.out_width;
  const int out_y = rest % p.out_height;
  const int batch = rest / p.out_height;
  const int channel = filter / p.multiplier;

  SUM sum = 0;
  for (int ty = 0; ty < p.taps_y; ++ty) {
    const int y = out_y * p.stride_y - p.before_y + ty * p.dilation_y;
    if (y < 0 || y >= p.in_height) continue;
    for (int tx = 0; tx < p.taps_x; ++tx) {
      const int x = out_x * p.stride_x - p.before_x + tx * p.dilation_x;
      if (x < 0 || x >= p.in_width) continue;
      const T value =
          input[((batch * p.in_height + y) * p.in_width + x) * p.in_channels +
                channel];
      const T weight = weights[(ty * p.taps_x + tx) * filters + filter];
#if IS_FLOAT
      sum += value * weight;
#else
      sum += (uint)((value - p.input_zero) * (weight - p.weights_zero));
#endif
    }
  }
#if IS_FLOAT
  if (p.has_bias) sum += bias[filter];
  output[item] = FloatWithin(sum, p.target);
#else
  if (p.has_bias) sum += (uint)bias[filter];
  output[item] =
      (T)IntegerAt(Multiply((int)sum, factors[filter]), p.target);
#endif
}

#undef SUM
#undef BIAS
