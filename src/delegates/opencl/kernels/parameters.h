// SPDX-License-Identifier: Apache-2.0
// Declares the parameters that kernels take besides their buffers. This header
// is compiled both as C++, for the code that launches kernels, and as OpenCL C,
// for the kernels themselves, so both sides share one definition.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_KERNELS_PARAMETERS_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_KERNELS_PARAMETERS_H_

#ifndef __OPENCL_VERSION__
namespace stowage::harness::opencl {
#endif

// The number mantissa * 2^(exponent - 31), like a Multiplier of fixed_point.h.
struct Factor {
  int mantissa;
  int exponent;
};

// The range to which a kernel clamps its results: [float_min, float_max] for
// floats, [min, max] for integers. For integers, the kernel adds `zero_point`
// before it clamps.
struct Target {
  float float_min;
  float float_max;
  int min;
  int max;
  int zero_point;
};

// Each struct below has a member `items`. The number of launched work-items is
// rounded up to a multiple of the work-group size, and the work-items from
// index `items` on compute nothing.

// The parameters of conv_2d and depthwise_conv_2d. The image is [batches,
// in_height, in_width, in_channels], and the filters are [filters, taps_y,
// taps_x, group_channels].
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
  int before_y;  // padding before the image
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

// The parameters of average_pool_2d and max_pool_2d.
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

// The parameters of binary: the extents of the output, and the strides of each
// input along the dimensions of the output. The stride is 0 along a dimension
// in which the input is broadcast.
struct BinaryParameters {
  int items;
  int operation;  // 0: a + b, 1: a - b, 2: a * b
  int extents[4];
  int a_strides[4];
  int b_strides[4];
  int a_zero;
  int b_zero;
  int unit;  // for sums: a and b are multiplied by it, then by their factors
  struct Factor a_factor;
  struct Factor b_factor;
  struct Factor factor;  // for the sum or product
  struct Target target;
};

// The parameters of clamp and look_up, which are elementwise.
struct ElementParameters {
  int items;
  struct Target target;
};

// The parameters of quantize, which converts each float to the nearest 8-bit
// value.
struct QuantizeParameters {
  int items;
  float scale;
  struct Target target;
};

// The parameters of pad. `before` is the position in the output of the first
// element of the input.
struct PadParameters {
  int items;
  int in_extents[4];
  int out_extents[4];
  int before[4];
  int value;  // the bits of the padding value
};

// The parameters of mean, which averages a tensor [outer, count, inner] along
// its middle dimension.
struct MeanParameters {
  int items;
  int count;
  int inner;
  int rescales;     // 0: the mean is not rescaled, and is rounded to zero
  int input_zeros;  // the sum of the zero points of `count` elements
  struct Factor factor;
  struct Target target;
};

// The parameters of softmax, which works on rows of `depth` elements.
struct SoftmaxParameters {
  int items;
  int depth;
  float beta;
};

#ifndef __OPENCL_VERSION__
}  // namespace stowage::harness::opencl
#endif

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_KERNELS_PARAMETERS_H_
