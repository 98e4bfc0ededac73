// SPDX-License-Identifier: Apache-2.0
// Functions that several kernels use. The results of their fixed-point
// arithmetic equal those of gemmlowp bit for bit. The kernels of the harness
// use gemmlowp (stowage/harness/fixed_point.h). Each of the other files is
// compiled once for each required type. In these files, T is the type, IS_FLOAT
// is true for floats, and NAME(f) is f_float, f_int8 or f_uint8.
#pragma OPENCL FP_CONTRACT OFF

// Returns (a * b * 2) >> 32, rounded to nearest.
int HighProduct(int a, int b) {
  if (a == b && a == INT_MIN) return INT_MAX;
  const long product = (long)a * b;
  const long nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  return (int)((product + nudge) / (1L << 31));
}

// Returns x / 2^exponent, rounded to nearest, with halves away from zero.
// Requires an exponent from 0 to 31.
int DivideByPowerOf2(int x, int exponent) {
  const int mask = (int)((1L << exponent) - 1);
  const int threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + ((x & mask) > threshold ? 1 : 0);
}

int Multiply(int x, struct Factor factor) {
  const int left = max(factor.exponent, 0);
  const int right = max(-factor.exponent, 0);
  return DivideByPowerOf2(
      HighProduct((int)((uint)x << left), factor.mantissa), right);
}

// Adds the zero point to `value` and returns the resulting element, clamped to
// the range of the target.
int IntegerAt(int value, struct Target target) {
  return clamp(value, target.min - target.zero_point,
               target.max - target.zero_point) +
         target.zero_point;
}

float FloatWithin(float x, struct Target target) {
  return x < target.float_min ? target.float_min
                              : (x > target.float_max ? target.float_max : x);
}

// The part of the image from which a pooling computes one output: the elements
// of one channel in rows [first_y, end_y) and columns [first_x, end_x).
struct PoolWindow {
  int batch;
  int channel;
  int first_y;
  int end_y;
  int first_x;
  int end_x;
};

struct PoolWindow PoolWindowOf(int item, struct PoolParameters p) {
  struct PoolWindow window;
  int rest = item;
  window.channel = rest % p.channels;
  rest /= p.channels;
  const int left = rest % p.out_width * p.stride_x - p.before_x;
  rest /= p.out_width;
  const int top = rest % p.out_height * p.stride_y - p.before_y;
  window.batch = rest / p.out_height;
  window.first_y = max(top, 0);
  window.end_y = min(top + p.taps_y, p.in_height);
  window.first_x = max(left, 0);
  window.end_x = min(left + p.taps_x, p.in_width);
  return window;
}

int PoolInput(struct PoolWindow window, int y, int x, struct PoolParameters p) {
  return ((window.batch * p.in_height + y) * p.in_width + x) * p.channels +
         window.channel;
}
