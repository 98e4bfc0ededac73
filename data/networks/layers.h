// SPDX-License-Identifier: Apache-2.0
// Layers of networks. Each function appends the operators of a layer to the
// network of its operand and returns the output. It also creates weights,
// biases and other constants. The element type of the output is that of the
// operand.
//
//   Tensor x = network.Input({1, 224, 224, 3});
//   x = Conv(x, 32, Window(3, 2));     // 1x112x112x32
//   x = DepthwiseConv(x, Window(3));              // 1x112x112x32
//   x = Add(x, Conv(x, 32, Window(1)));
//
// Activations that a converter fuses into the operator before them, mostly
// ReLU, are part of that operator and are not written. Operands that do not fit
// are a mistake of the network (see network.h); the function then returns an
// operand.
#ifndef STOWAGE_DATA_NETWORKS_LAYERS_H_
#define STOWAGE_DATA_NETWORKS_LAYERS_H_

#include <vector>

#include "absl/types/span.h"
#include "data/networks/network.h"

namespace stowage::networks {

// Padding and Window say how a convolution or a pool moves over height and
// width. All numbers must be at least 1.
enum class Padding {
  kSame,   // output extent = input extent / stride, rounded up
  kValid,  // only where the window lies inside the input
};
struct Window {
  explicit constexpr Window(int size, int step = 1,
                            Padding border = Padding::kSame)
      : height(size), width(size), stride(step), padding(border) {}

  static Window Rectangle(int height, int width);
  static Window Dilated(int size, int dilation);

  int height;
  int width;
  int stride;
  Padding padding;
  int dilation = 1;
};

// Convolutions over {batch, height, width, channels}. They have weights and
// biases.
Tensor Conv(Tensor x, Extent channels, Window window);
Tensor DepthwiseConv(Tensor x, Window window);
Tensor TransposeConv(Tensor x, Extent channels, int stride);

// A convolution with a given kernel {channels, height, width, input channels}.
// Requires that `window` has the size of the kernel.
Tensor ConvWith(Tensor x, Tensor kernel, Window window);

// Pools, and changes of the size of images.
Tensor MaxPool(Tensor x, Window window);
Tensor AveragePool(Tensor x, Window window);
Tensor GlobalAveragePool(Tensor x);  // {batch, 1, 1, channels}
Tensor ResizeBilinear(Tensor x, Extent height, Extent width);
Tensor ResizeNearest(Tensor x, Extent height, Extent width);

// Products of matrices. `units`, or `weights` of the shape {units, inputs},
// determine the last axis of the output.
Tensor FullyConnected(Tensor x, Extent units);
Tensor FullyConnectedWith(Tensor x, Tensor weights);
Tensor BatchMatMul(Tensor a, Tensor b);            // {.., m, k} x {.., k, n}
Tensor BatchMatMulTransposed(Tensor a, Tensor b);  // {.., m, k} x {.., n, k}

// Operators on each pair of elements. Axes that have extent 1 or are missing at
// the front are repeated.
Tensor Add(Tensor a, Tensor b);
Tensor Sub(Tensor a, Tensor b);
Tensor Mul(Tensor a, Tensor b);
Tensor SquaredDifference(Tensor a, Tensor b);
Tensor AddN(absl::Span<const Tensor> xs);  // all of one shape

// Operators whose other operand is a constant: one number, or one for each
// channel.
Tensor AddScalar(Tensor x);
Tensor MulScalar(Tensor x);
Tensor AddChannels(Tensor x);
Tensor SubFromChannels(Tensor x);
Tensor MulChannels(Tensor x);

// An operator with one operand, whose output has the same shape: Op::SOFTMAX,
// Op::TANH, ...
Tensor Unary(OperatorKind kind, Tensor x);

// Reductions. The reduced axes remain with extent 1.
Tensor Mean(Tensor x, absl::Span<const int> axes);
Tensor Sum(Tensor x, absl::Span<const int> axes);

// Changes of shape. A negative axis counts from the last.
Tensor Reshape(Tensor x, Shape shape);
Tensor Flatten(Tensor x);  // {batch, everything else}
Tensor Transpose(Tensor x, absl::Span<const int> axes);
Tensor Slice(Tensor x, Shape shape);
Tensor Concat(absl::Span<const Tensor> xs, int axis);
std::vector<Tensor> Split(Tensor x, int axis, int parts);
std::vector<Tensor> Unpack(Tensor x, int axis);
Tensor Pack(absl::Span<const Tensor> xs, int axis);

// Returns one row of a table for each index in x. The table has `rows` rows of
// `width` elements.
Tensor Embedding(Tensor x, Extent rows, Extent width, ElementType type);

// Convert to integers, and back to float32.
Tensor Quantize(Tensor x, ElementType type);
Tensor Dequantize(Tensor x);

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_LAYERS_H_
