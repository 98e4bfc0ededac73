// SPDX-License-Identifier: Apache-2.0
// Runs MAX_POOL_2D, which computes the largest element in each window of the
// image.
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
  const struct PoolWindow window = PoolWindowOf(item, p);
  T largest = LEAST;
  for (int y = window.first_y; y < window.end_y; ++y) {
    for (int x = window.first_x; x < window.end_x; ++x) {
      const T value = input[PoolInput(window, y, x, p)];
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
