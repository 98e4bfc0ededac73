// SPDX-License-Identifier: Apache-2.0
#include "data/networks/layers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stowage::networks {
namespace {

// Returns the constant in which the format keeps parameters of an operator,
// such as axes or sizes.
Tensor Parameters(Network& network, int count) {
  return network.Constant({count}, ElementType::INT32);
}

ElementType BiasType(ElementType type) {
  return type == ElementType::INT8 ? ElementType::INT32 : type;
}

// Returns whether x has this many axes. If not, reports a mistake of the
// network.
bool HasRank(OperatorKind kind, Tensor x, int rank) {
  if (x.rank() == rank) return true;
  x.network().Fail(kind, absl::StrCat("expected ", rank, " axes, got ",
                                      ToString(x.shape())));
  return false;
}

// Returns the axis counted from 0. If x has no such axis, returns -1 and
// reports a mistake of the network.
int Axis(OperatorKind kind, Tensor x, int axis) {
  const int from_zero = axis < 0 ? axis + x.rank() : axis;
  if (from_zero >= 0 && from_zero < x.rank()) return from_zero;
  x.network().Fail(kind,
                   absl::StrCat("no axis ", axis, " in ", ToString(x.shape())));
  return -1;
}

Extent OutputExtent(const Extent& input, int size, const Window& window) {
  const int covered =
      window.padding == Padding::kSame ? 1 : window.dilation * (size - 1) + 1;
  if (input.value() < covered) return 0;
  return (input - covered + window.stride) / window.stride;
}

// Returns the shape of the output of a window that moves over an image.
Shape WindowOutput(Tensor x, const Extent& channels, const Window& window) {
  return {x.dim(0), OutputExtent(x.dim(1), window.height, window),
          OutputExtent(x.dim(2), window.width, window), channels};
}

Tensor Pool(OperatorKind kind, Tensor x, const Window& window) {
  if (!HasRank(kind, x, 4)) return x;
  return x.network().Append(kind, {x}, WindowOutput(x, x.dim(3), window),
                            x.type());
}

Tensor Resize(OperatorKind kind, Tensor x, Extent height, Extent width) {
  if (!HasRank(kind, x, 4)) return x;
  return x.network().Append(kind, {x, Parameters(x.network(), 2)},
                            {x.dim(0), height, width, x.dim(3)}, x.type());
}

// Appends an operator on two operands, whose shapes are aligned at their last
// axes.
Tensor Binary(OperatorKind kind, Tensor a, Tensor b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape shape(static_cast<size_t>(rank), 1);
  for (int axis = 1; axis <= rank; ++axis) {
    const Extent of_a = axis <= a.rank() ? a.dim(-axis) : 1;
    const Extent of_b = axis <= b.rank() ? b.dim(-axis) : 1;
    if (of_a != of_b && of_a != 1 && of_b != 1) {
      a.network().Fail(kind,
                       absl::StrCat("shapes ", ToString(a.shape()), " and ",
                                    ToString(b.shape()), " do not fit"));
      return a;
    }
    shape[static_cast<size_t>(rank - axis)] = of_a == 1 ? of_b : of_a;
  }
  return a.network().Append(kind, {a, b}, std::move(shape), a.type());
}

Tensor Scalar(Tensor x) { return x.network().Constant({1}, x.type()); }

Tensor Channels(Tensor x) { return x.network().Weights({x.dim(-1)}, x.type()); }

Tensor Reduce(OperatorKind kind, Tensor x, absl::Span<const int> axes) {
  Shape shape = x.shape();
  for (int axis : axes) {
    axis = Axis(kind, x, axis);
    if (axis < 0) return x;
    shape[static_cast<size_t>(axis)] = 1;
  }
  return x.network().Append(
      kind, {x, Parameters(x.network(), static_cast<int>(axes.size()))},
      std::move(shape), x.type());
}

Tensor MatMul(Tensor a, Tensor b, int inner_axis, int outer_axis) {
  Shape shape = a.shape();
  const Shape other = b.shape();
  if (shape.size() < 2 || shape.size() != other.size() ||
      shape.back() != b.dim(inner_axis) ||
      !std::equal(shape.begin(), shape.end() - 2, other.begin())) {
    a.network().Fail(Op::BATCH_MATMUL,
                     absl::StrCat("shapes ", ToString(shape), " and ",
                                  ToString(other), " do not fit"));
    return a;
  }
  shape.back() = b.dim(outer_axis);
  return a.network().Append(Op::BATCH_MATMUL, {a, b}, std::move(shape),
                            a.type());
}

}  // namespace

Window Window::Rectangle(int height, int width) {
  Window window(height);
  window.width = width;
  return window;
}

Window Window::Dilated(int size, int dilation) {
  Window window(size);
  window.dilation = dilation;
  return window;
}

Tensor Conv(Tensor x, Extent channels, Window window) {
  if (!HasRank(Op::CONV_2D, x, 4)) return x;
  Network& network = x.network();
  const Tensor kernel = network.Weights(
      {channels, window.height, window.width, x.dim(3)}, x.type());
  const Tensor bias = network.Weights({channels}, BiasType(x.type()));
  return network.Append(Op::CONV_2D, {x, kernel, bias},
                        WindowOutput(x, channels, window), x.type());
}

Tensor DepthwiseConv(Tensor x, Window window) {
  if (!HasRank(Op::DEPTHWISE_CONV_2D, x, 4)) return x;
  Network& network = x.network();
  const Tensor kernel =
      network.Weights({1, window.height, window.width, x.dim(3)}, x.type());
  const Tensor bias = network.Weights({x.dim(3)}, BiasType(x.type()));
  return network.Append(Op::DEPTHWISE_CONV_2D, {x, kernel, bias},
                        WindowOutput(x, x.dim(3), window), x.type());
}

Tensor TransposeConv(Tensor x, Extent channels, int stride) {
  if (!HasRank(Op::TRANSPOSE_CONV, x, 4)) return x;
  Network& network = x.network();
  const Tensor output_shape = Parameters(network, 4);
  const Tensor kernel =
      network.Weights({channels, stride, stride, x.dim(3)}, x.type());
  const Tensor bias = network.Weights({channels}, BiasType(x.type()));
  return network.Append(
      Op::TRANSPOSE_CONV, {output_shape, kernel, x, bias},
      {x.dim(0), x.dim(1) * stride, x.dim(2) * stride, channels}, x.type());
}

Tensor ConvWith(Tensor x, Tensor kernel, Window window) {
  if (!HasRank(Op::CONV_2D, x, 4) || !HasRank(Op::CONV_2D, kernel, 4)) return x;
  const Shape expected = {kernel.dim(0), window.height, window.width, x.dim(3)};
  if (kernel.shape() != expected) {
    x.network().Fail(Op::CONV_2D,
                     absl::StrCat("expected a kernel ", ToString(expected),
                                  ", got ", ToString(kernel.shape())));
    return x;
  }
  return x.network().Append(Op::CONV_2D, {x, kernel},
                            WindowOutput(x, kernel.dim(0), window), x.type());
}

Tensor MaxPool(Tensor x, Window window) {
  return Pool(Op::MAX_POOL_2D, x, window);
}
Tensor AveragePool(Tensor x, Window window) {
  return Pool(Op::AVERAGE_POOL_2D, x, window);
}
Tensor GlobalAveragePool(Tensor x) {
  return HasRank(Op::MEAN, x, 4) ? Mean(x, {1, 2}) : x;
}
Tensor ResizeBilinear(Tensor x, Extent height, Extent width) {
  return Resize(Op::RESIZE_BILINEAR, x, height, width);
}
Tensor ResizeNearest(Tensor x, Extent height, Extent width) {
  return Resize(Op::RESIZE_NEAREST_NEIGHBOR, x, height, width);
}

Tensor FullyConnected(Tensor x, Extent units) {
  Network& network = x.network();
  const Tensor weights = network.Weights({units, x.dim(-1)}, x.type());
  const Tensor bias = network.Weights({units}, BiasType(x.type()));
  Shape shape = x.shape();
  shape.back() = units;
  return network.Append(Op::FULLY_CONNECTED, {x, weights, bias},
                        std::move(shape), x.type());
}

Tensor FullyConnectedWith(Tensor x, Tensor weights) {
  if (!HasRank(Op::FULLY_CONNECTED, weights, 2)) return x;
  if (weights.dim(1) != x.dim(-1)) {
    x.network().Fail(Op::FULLY_CONNECTED,
                     absl::StrCat("weights ", ToString(weights.shape()),
                                  " do not fit ", ToString(x.shape())));
    return x;
  }
  Shape shape = x.shape();
  shape.back() = weights.dim(0);
  return x.network().Append(Op::FULLY_CONNECTED, {x, weights}, std::move(shape),
                            x.type());
}

Tensor BatchMatMul(Tensor a, Tensor b) { return MatMul(a, b, -2, -1); }
Tensor BatchMatMulTransposed(Tensor a, Tensor b) {
  return MatMul(a, b, -1, -2);
}

Tensor Add(Tensor a, Tensor b) { return Binary(Op::ADD, a, b); }
Tensor Sub(Tensor a, Tensor b) { return Binary(Op::SUB, a, b); }
Tensor Mul(Tensor a, Tensor b) { return Binary(Op::MUL, a, b); }
Tensor SquaredDifference(Tensor a, Tensor b) {
  return Binary(Op::SQUARED_DIFFERENCE, a, b);
}

Tensor AddN(absl::Span<const Tensor> xs) {
  const Tensor first = xs.front();
  for (Tensor x : xs) {
    if (x.shape() == first.shape()) continue;
    x.network().Fail(Op::ADD_N,
                     absl::StrCat("shapes ", ToString(first.shape()), " and ",
                                  ToString(x.shape()), " differ"));
    return first;
  }
  return first.network().Append(Op::ADD_N, xs, first.shape(), first.type());
}

Tensor AddScalar(Tensor x) { return Add(x, Scalar(x)); }
Tensor MulScalar(Tensor x) { return Mul(x, Scalar(x)); }
Tensor AddChannels(Tensor x) { return Add(x, Channels(x)); }
Tensor SubFromChannels(Tensor x) { return Sub(Channels(x), x); }
Tensor MulChannels(Tensor x) { return Mul(x, Channels(x)); }

Tensor Unary(OperatorKind kind, Tensor x) {
  return x.network().Append(kind, {x}, x.shape(), x.type());
}

Tensor Mean(Tensor x, absl::Span<const int> axes) {
  return Reduce(Op::MEAN, x, axes);
}
Tensor Sum(Tensor x, absl::Span<const int> axes) {
  return Reduce(Op::SUM, x, axes);
}

Tensor Reshape(Tensor x, Shape shape) {
  const auto elements = [](const Shape& extents) {
    return std::accumulate(extents.begin(), extents.end(), Extent(1),
                           std::multiplies<>());
  };
  if (elements(shape) != elements(x.shape())) {
    x.network().Fail(Op::RESHAPE, absl::StrCat(ToString(x.shape()), " into ",
                                               ToString(shape)));
    return x;
  }
  const Tensor parameters =
      Parameters(x.network(), static_cast<int>(shape.size()));
  return x.network().Append(Op::RESHAPE, {x, parameters}, std::move(shape),
                            x.type());
}

Tensor Flatten(Tensor x) {
  Extent width = 1;
  for (int axis = 1; axis < x.rank(); ++axis) width = width * x.dim(axis);
  return Reshape(x, {x.dim(0), width});
}

Tensor Transpose(Tensor x, absl::Span<const int> axes) {
  std::vector<int> sorted(axes.begin(), axes.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> all(static_cast<size_t>(x.rank()));
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    x.network().Fail(Op::TRANSPOSE,
                     absl::StrCat("expected an order of ", x.rank(),
                                  " axes, got ", absl::StrJoin(axes, "x")));
    return x;
  }
  Shape shape;
  for (int axis : axes) shape.push_back(x.dim(axis));
  return x.network().Append(Op::TRANSPOSE,
                            {x, Parameters(x.network(), x.rank())},
                            std::move(shape), x.type());
}

Tensor Slice(Tensor x, Shape shape) {
  bool inside = static_cast<int>(shape.size()) == x.rank();
  for (int axis = 0; inside && axis < x.rank(); ++axis) {
    inside = shape[static_cast<size_t>(axis)].value() <= x.dim(axis).value();
  }
  if (!inside) {
    x.network().Fail(Op::SLICE, absl::StrCat(ToString(shape), " is not inside ",
                                             ToString(x.shape())));
    return x;
  }
  const Tensor begin = Parameters(x.network(), x.rank());
  const Tensor size = Parameters(x.network(), x.rank());
  return x.network().Append(Op::SLICE, {x, begin, size}, std::move(shape),
                            x.type());
}

Tensor Concat(absl::Span<const Tensor> xs, int axis) {
  const Tensor first = xs.front();
  axis = Axis(Op::CONCATENATION, first, axis);
  if (axis < 0) return first;
  const auto joined = static_cast<size_t>(axis);
  Shape shape = first.shape();
  for (Tensor x : xs.subspan(1)) {
    Shape rest = x.shape();
    if (rest.size() == shape.size()) {
      shape[joined] =
          shape[joined] + std::exchange(rest[joined], shape[joined]);
      rest[joined] = shape[joined];
    }
    if (rest == shape) continue;
    x.network().Fail(Op::CONCATENATION,
                     absl::StrCat("shapes ", ToString(first.shape()), " and ",
                                  ToString(x.shape()), " do not fit"));
    return first;
  }
  return first.network().Append(Op::CONCATENATION, xs, std::move(shape),
                                first.type());
}

std::vector<Tensor> Split(Tensor x, int axis, int parts) {
  axis = Axis(Op::SPLIT, x, axis);
  if (axis < 0 || x.dim(axis).value() % parts != 0) {
    x.network().Fail(Op::SPLIT, absl::StrCat(ToString(x.shape()), " into ",
                                             parts, " parts"));
    return std::vector<Tensor>(static_cast<size_t>(parts), x);
  }
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = x.dim(axis) / parts;
  return x.network().AppendMany(
      Op::SPLIT, {Parameters(x.network(), 1), x},
      std::vector<Shape>(static_cast<size_t>(parts), shape), x.type());
}

std::vector<Tensor> Unpack(Tensor x, int axis) {
  axis = Axis(Op::UNPACK, x, axis);
  if (axis < 0) return {x};
  const auto parts = static_cast<size_t>(x.dim(axis).value());
  Shape shape = x.shape();
  shape.erase(shape.begin() + axis);
  return x.network().AppendMany(Op::UNPACK, {x},
                                std::vector<Shape>(parts, shape), x.type());
}

Tensor Pack(absl::Span<const Tensor> xs, int axis) {
  const Tensor first = xs.front();
  for (Tensor x : xs) {
    if (x.shape() == first.shape()) continue;
    x.network().Fail(Op::PACK,
                     absl::StrCat("shapes ", ToString(first.shape()), " and ",
                                  ToString(x.shape()), " differ"));
    return first;
  }
  Shape shape = first.shape();
  const int position = axis < 0 ? axis + first.rank() + 1 : axis;
  if (position < 0 || position > first.rank()) {
    first.network().Fail(Op::PACK, absl::StrCat("no place for axis ", axis,
                                                " in ", ToString(shape)));
    return first;
  }
  shape.insert(shape.begin() + position, static_cast<int>(xs.size()));
  return first.network().Append(Op::PACK, xs, std::move(shape), first.type());
}

Tensor Embedding(Tensor x, Extent rows, Extent width, ElementType type) {
  const Tensor table = x.network().Weights({rows, width}, type);
  Shape shape = x.shape();
  shape.push_back(width);
  return x.network().Append(Op::GATHER, {table, x}, std::move(shape), type);
}

Tensor Quantize(Tensor x, ElementType type) {
  return x.network().Append(Op::QUANTIZE, {x}, x.shape(), type);
}

Tensor Dequantize(Tensor x) {
  return x.network().Append(Op::DEQUANTIZE, {x}, x.shape(),
                            ElementType::FLOAT32);
}

}  // namespace stowage::networks
