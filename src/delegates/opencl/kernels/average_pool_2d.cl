// SPDX-License-Identifier: Apache-2.0
// Runs AVERAGE_POOL_2D, which computes the mean of the elements in each window
// of the image. Means of integers are rounded to nearest, with halves away from
// zero.
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
  const struct PoolWindow window = PoolWindowOf(item, p);
  SUM sum = 0;
  for (int y = window.first_y; y < window.end_y; ++y) {
    for (int x = window.first_x; x < window.end_x; ++x) {
      sum += input[PoolInput(window, y, x, p)];
    }
  }
  const int count =
      (window.end_y - window.first_y) * (window.end_x - window.first_x);
#if IS_FLOAT
  output[item] = FloatWithin(sum / (float)count, p.target);
#else
  const int mean = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
  output[item] = (T)clamp(mean, p.target.min, p.target.max);
#endif
}

#undef SUM
