// SPDX-License-Identifier: Apache-2.0
// Runs ADD, SUB and MUL, with broadcasting.
__kernel void NAME(binary)(__global const T* restrict a,
                           __global const T* restrict b,
                           __global T* restrict output,
                           struct BinaryParameters p) {
  const int item = get_global_id(0);
  if (item >= p.items) return;
  int rest = item;
  int a_at = 0;
  int b_at = 0;
  for (int d = 3; d >= 0; --d) {
    const int index = rest % p.extents[d];
    rest /= p.extents[d];
    a_at += index * p.a_strides[d];
    b_at += index * p.b_strides[d];
  }
#if IS_FLOAT
  const float x = a[a_at];
  const float y = b[b_at];
  const float result =
      p.operation == 0 ? x + y : (p.operation == 1 ? x - y : x * y);
  output[item] = FloatWithin(result, p.target);
#else
  const int x = a[a_at] - p.a_zero;
  const int y = b[b_at] - p.b_zero;
  int result = x * y;
  if (p.operation != 2) {
    const int first = Multiply(x * p.unit, p.a_factor);
    const int second = Multiply(y * p.unit, p.b_factor);
    result = first + (p.operation == 1 ? -second : second);
  }
  output[item] = (T)IntegerAt(Multiply(result, p.factor), p.target);
#endif
}
