// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D: the mean of what a window has of the image. Means of
// integers are rounded to nearest, halves away from zero.
#if IS_FLOAT
#define SUM float
#else
#define SUM int
#endif

__kernel void NAME(average_pool_2d)(__global const T* restrict input,
                                    __global T* restrict output,
                                    struct PoolParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  int rest = item;
  const int channel = rest % p.channels;
  rest /= p.channels;
  const int left = rest % p.out_width * p.stride_x - p.before_x;
  rest /= p.out_width;
  const int top = rest % p.out_height * p.stride_y - p.before_y;
  const int batch = rest / p.out_height;
  const int first_x = max(left, 0);
  const int end_x = min(left + p.taps_x, p.in_width);
  const int first_y = max(top, 0);
  const int end_y = min(top + p.taps_y, p.in_height);
  SUM sum = 0;
  for (int y = first_y; y < end_y; ++y) {
    for (int x = first_x; x < end_x; ++x) {
      sum += input[((batch * p.in_height + y) * p.in_width + x) * p.channels +
                   channel];
    }
  }
  const int count = (end_y - first_y) * (end_x - first_x);
#if IS_FLOAT
  output[item] = FloatWithin(sum / (float)count, p.target);
#else
  const int mean = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
  output[item] = (T)clamp(mean, p.target.min, p.target.max);
#endif
}

#undef SUM
