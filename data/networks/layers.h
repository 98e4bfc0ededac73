// SPDX-License-Identifier: Apache-2.0
// Layers: each appends the operators it needs to the network of its operand
// and returns its output. Weights, biases and other constants are made on the
// way, and the element type of the output is that of the operand.
//
//   Tensor x = network.Input({1, 224, 224, 3});
//   x = Conv(x, 32, Window(3, 2));     // 1x112x112x32
//   x = DepthwiseConv(x, Window(3));              // 1x112x112x32
//   x = Add(x, Conv(x, 32, Window(1)));
//
// Activations that a converter fuses into the operator before them, ReLU above
// all, are part of that operator and not written at all. Operands that do not
// fit are a mistake of the network (see network.h) and return an operand.
#ifndef STOWAGE_DATA_NETWORKS_LAYERS_H_
#define STOWAGE_DATA_NETWORKS_LAYERS_H_

#include <vector>

#include "absl/types/span.h"
#include "data/networks/network.h"

namespace stowage::networks {

// How a convolution or a pool moves over height and width. Requires: every
// number is at least 1.
enum class Padding {
  kSame,   // as many outputs as inputs, divided by the stride, rounded up
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

// Convolutions over {batch, height, width, channels}, with weights and biases.
Tensor Conv(Tensor x, int channels, Window window);
Tensor DepthwiseConv(Tensor x, Window window);
Tensor TransposeConv(Tensor x, int channels, int stride);

// A convolution with a kernel {channels, height, width, input channels} that
// comes from elsewhere; `window` has its size.
Tensor ConvWith(Tensor x, Tensor kernel, Window window);

// Pools and sizes of images.
Tensor MaxPool(Tensor x, Window window);
Tensor AveragePool(Tensor x, Window window);
Tensor GlobalAveragePool(Tensor x);  // {batch, 1, 1, channels}
Tensor ResizeBilinear(Tensor x, int height, int width);
Tensor ResizeNearest(Tensor x, int height, int width);

// Matrices. `units` and `weights` {units, inputs} replace the last axis.
Tensor FullyConnected(Tensor x, int units);
Tensor FullyConnectedWith(Tensor x, Tensor weights);
Tensor BatchMatMul(Tensor a, Tensor b);            // {.., m, k} x {.., k, n}
Tensor BatchMatMulTransposed(Tensor a, Tensor b);  // {.., m, k} x {.., n, k}

// Element by element. Axes of extent 1, and missing first ones, repeat.
Tensor Add(Tensor a, Tensor b);
Tensor Sub(Tensor a, Tensor b);
Tensor Mul(Tensor a, Tensor b);
Tensor SquaredDifference(Tensor a, Tensor b);
Tensor AddN(absl::Span<const Tensor> xs);  // all of one shape

// The other operand is a constant: one number, or one for each channel.
Tensor AddScalar(Tensor x);
Tensor MulScalar(Tensor x);
Tensor AddChannels(Tensor x);
Tensor SubFromChannels(Tensor x);
Tensor MulChannels(Tensor x);

// Operators with one operand whose output has its shape: Op::SOFTMAX, Op::TANH,
// ...
Tensor Unary(OperatorKind kind, Tensor x);

// Reductions; the axes stay with extent 1.
Tensor Mean(Tensor x, absl::Span<const int> axes);
Tensor Sum(Tensor x, absl::Span<const int> axes);

// Shapes. A negative axis counts from the last.
Tensor Reshape(Tensor x, Shape shape);
Tensor Flatten(Tensor x);  // {batch, everything else}
Tensor Transpose(Tensor x, absl::Span<const int> axes);
Tensor Slice(Tensor x, Shape shape);
Tensor Concat(absl::Span<const Tensor> xs, int axis);
std::vector<Tensor> Split(Tensor x, int axis, int parts);
std::vector<Tensor> Unpack(Tensor x, int axis);
Tensor Pack(absl::Span<const Tensor> xs, int axis);

// Rows of a table with `rows` rows of `width`, one for each index in x.
Tensor Embedding(Tensor x, int rows, int width, ElementType type);

// Into integers and back to float32.
Tensor Quantize(Tensor x, ElementType type);
Tensor Dequantize(Tensor x);

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_LAYERS_H_
