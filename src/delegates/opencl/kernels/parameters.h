// SPDX-License-Identifier: Apache-2.0
// The parameters of kernels beside their buffers. This header is C++ for the
// code that launches kernels and OpenCL C for the kernels, so that the two
// agree.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_KERNELS_PARAMETERS_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_KERNELS_PARAMETERS_H_

#ifndef __OPENCL_VERSION__
namespace stowage::harness::opencl {
#endif

// Represents mantissa * 2^(exponent - 31): a Multiplier of fixed_point.h.
struct Factor {
  int mantissa;
  int exponent;
};

// The target of a result: the range of floats, or the range of integers and the
// zero point that is added before.
struct Target {
  float float_min;
  float float_max;
  int min;
  int max;
  int zero_point;
};

// Every kernel is launched with a multiple of the size of a work-group; `items`
// of the work-items compute something.

// conv_2d, depthwise_conv_2d: image [batches, in_height, in_width,
// in_channels], filters [filters, taps_y, taps_x, group_channels].
struct FilterParameters {
  int items;
  int in_height;
  int in_width;
  int in_channels;
  int out_height;
  int out_width;
  int taps_y;
  int taps_x;
  int stride_y;
  int stride_x;
  int dilation_y;
  int dilation_x;
  int before_y;  // padding
  int before_x;
  int groups;          // conv_2d: independent parts of the channels
  int group_channels;  // conv_2d: input channels of a group
  int group_filters;   // conv_2d: output channels of a group
  int multiplier;      // depthwise_conv_2d: output channels per input channel
  int has_bias;
  int input_zero;
  int weights_zero;
  struct Target target;
};

// average_pool_2d, max_pool_2d.
struct PoolParameters {
  int items;
  int channels;
  int in_height;
  int in_width;
  int out_height;
  int out_width;
  int taps_y;
  int taps_x;
  int stride_y;
  int stride_x;
  int before_y;
  int before_x;
  struct Target target;
};

// binary: the extents of the output, and the strides of each input along them,
// which are 0 where it is repeated.
struct BinaryParameters {
  int items;
  int operation;  // 0: a + b, 1: a - b, 2: a * b
  int extents[4];
  int a_strides[4];
  int b_strides[4];
  int a_zero;
  int b_zero;
  int unit;  // for sums: a and b are multiplied by it before their factors
  struct Factor a_factor;
  struct Factor b_factor;
  struct Factor factor;  // of the sum or product
  struct Target target;
};

// clamp, look_up: elementwise.
struct ElementParameters {
  int items;
  struct Target target;
};

// quantize: floats to the nearest number of 8 bits.
struct QuantizeParameters {
  int items;
  float scale;
  struct Target target;
};

// pad: the input lies in the output at `before`.
struct PadParameters {
  int items;
  int in_extents[4];
  int out_extents[4];
  int before[4];
  int value;  // the bits of the padding value
};

// mean: of [outer, count, inner] along the middle dimension.
struct MeanParameters {
  int items;
  int count;
  int inner;
  int rescales;  // 0: the mean of elements without rescaling, rounded to zero
  int input_zeros;  // the sum of the zero points of `count` elements
  struct Factor factor;
  struct Target target;
};

// softmax: rows of `depth`.
struct SoftmaxParameters {
  int items;
  int depth;
  float beta;
};

#ifndef __OPENCL_VERSION__
}  // namespace stowage::harness::opencl
#endif

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_KERNELS_PARAMETERS_H_
