// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D: the largest of what a window has of the image.
#if IS_FLOAT
#define LEAST -FLT_MAX
#else
#define LEAST p.target.min
#endif

__kernel void NAME(max_pool_2d)(__global const T* restrict input,
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
  const int end_x = min(left + p.taps_x, p.in_width);
  const int end_y = min(top + p.taps_y, p.in_height);
  T largest = LEAST;
  for (int y = max(top, 0); y < end_y; ++y) {
    for (int x = max(left, 0); x < end_x; ++x) {
      const T value =
          input[((batch * p.in_height + y) * p.in_width + x) * p.channels +
                channel];
      if (largest < value) largest = value;
    }
  }
#if IS_FLOAT
  output[item] = FloatWithin(largest, p.target);
#else
  output[item] = (T)clamp((int)largest, p.target.min, p.target.max);
#endif
}

#undef LEAST
