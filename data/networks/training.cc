// SPDX-License-Identifier: Apache-2.0
// A training step: the forward pass, the backward pass, and the update.
//
// The input of each layer is kept until its gradient is computed, so the
// lifetimes of tensors are nested. The gradients of all weights are live until
// their common norm is known. Source: He et al. 2015, section 4.2 (20 layers,
// images of 32x32), with the clipping by the global norm of Pascanu et al.
// 2012, section 3.2.
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

// Layers over `images` that record how to compute their gradients. Weights are
// inputs of the graph, and their updated values are outputs.
class Tape {
 public:
  explicit Tape(Tensor images) : network_(images.network()), images_(images) {}

  Tensor Conv(Tensor x, int channels, Window window);
  Tensor BatchNorm(Tensor x);
  Tensor Relu(Tensor x);
  Tensor Add(Tensor a, Tensor b);
  Tensor GlobalAveragePool(Tensor x);  // {batch, channels}
  Tensor FullyConnected(Tensor x, int units);

  // Computes the gradients of all weights from the gradient of a result.
  void Backward(Tensor result, Tensor gradient);

  // Outputs every weight after moving it against its clipped gradient.
  void Update();

 private:
  Tensor Parameter(Shape shape);
  Tensor GradientOf(Tensor x) const { return gradients_.at(x.index()); }
  void AddGradient(Tensor x, Tensor gradient);

  Network& network_;
  Tensor images_;
  std::vector<Tensor> parameters_;
  // to be run from the last to the first
  std::vector<std::function<void()>> steps_;
  std::map<int, Tensor> gradients_;  // by index of the tensor
};

Tensor Tape::Parameter(Shape shape) {
  parameters_.push_back(network_.Input(std::move(shape)));
  return parameters_.back();
}

void Tape::AddGradient(Tensor x, Tensor gradient) {
  const auto [known, is_new] = gradients_.emplace(x.index(), gradient);
  if (!is_new) known->second = networks::Add(known->second, gradient);
}

Tensor Tape::Conv(Tensor x, int channels, Window window) {
  const Tensor kernel =
      Parameter({channels, window.height, window.width, x.dim(3)});
  const Tensor y = ConvWith(x, kernel, window);
  steps_.emplace_back([=] {
    const Tensor dy = GradientOf(y);
    const auto filter = OperatorKind::Custom("Conv2DBackpropFilter");
    AddGradient(kernel,
                network_.Append(filter, {x, dy}, kernel.shape(), x.type()));
    if (x.index() == images_.index()) return;
    const Tensor shape = network_.Constant({4}, ElementType::INT32);
    AddGradient(x, network_.Append(Op::TRANSPOSE_CONV, {shape, kernel, dy},
                                   x.shape(), x.type()));
  });
  return y;
}

Tensor Tape::BatchNorm(Tensor x) {
  const Shape channels = {x.dim(3)};
  const Tensor scale = Parameter(channels);
  const Tensor shift = Parameter(channels);
  const auto forward = network_.AppendMany(
      OperatorKind::Custom("FusedBatchNormV3"), {x, scale, shift},
      {x.shape(), channels, channels}, x.type());
  const Tensor y = forward[0];
  steps_.emplace_back([=] {
    const auto backward =
        network_.AppendMany(OperatorKind::Custom("FusedBatchNormGradV3"),
                            {GradientOf(y), x, scale, forward[1], forward[2]},
                            {x.shape(), channels, channels}, x.type());
    AddGradient(x, backward[0]);
    AddGradient(scale, backward[1]);
    AddGradient(shift, backward[2]);
  });
  return y;
}

Tensor Tape::Relu(Tensor x) {
  const Tensor y = Unary(Op::RELU, x);
  steps_.emplace_back([=] {
    AddGradient(x, network_.Append(OperatorKind::Custom("ReluGrad"),
                                   {GradientOf(y), y}, x.shape(), x.type()));
  });
  return y;
}

Tensor Tape::Add(Tensor a, Tensor b) {
  const Tensor y = networks::Add(a, b);
  steps_.emplace_back([=] {
    AddGradient(a, GradientOf(y));
    AddGradient(b, GradientOf(y));
  });
  return y;
}

Tensor Tape::GlobalAveragePool(Tensor x) {
  const Tensor y = Flatten(networks::GlobalAveragePool(x));
  steps_.emplace_back([=] {
    const Tensor dy = Reshape(GradientOf(y), {x.dim(0), 1, 1, x.dim(3)});
    const Tensor share =
        network_.Constant({1, x.dim(1), x.dim(2), 1}, x.type());
    AddGradient(x, Mul(dy, share));
  });
  return y;
}

Tensor Tape::FullyConnected(Tensor x, int units) {
  const Tensor weights = Parameter({units, x.dim(1)});
  const Tensor y = FullyConnectedWith(x, weights);
  steps_.emplace_back([=] {
    const Tensor dy = GradientOf(y);
    AddGradient(weights, BatchMatMul(Transpose(dy, {1, 0}), x));
    AddGradient(x, BatchMatMul(dy, weights));
  });
  return y;
}

void Tape::Backward(Tensor result, Tensor gradient) {
  AddGradient(result, gradient);
  for (size_t i = steps_.size(); i > 0; --i) steps_[i - 1]();
}

void Tape::Update() {
  std::vector<Tensor> norms;
  for (Tensor parameter : parameters_) {
    const Tensor squares = Unary(Op::SQUARE, GradientOf(parameter));
    std::vector<int> axes(static_cast<size_t>(squares.rank()));
    std::iota(axes.begin(), axes.end(), 0);
    norms.push_back(Reshape(Sum(squares, axes), {1}));
  }
  const Tensor scale = MulScalar(Unary(Op::RSQRT, AddN(norms)));
  for (Tensor parameter : parameters_) {
    network_.Output(Sub(parameter, Mul(GradientOf(parameter), scale)));
  }
}

Tensor Block(Tape& tape, Tensor x, int channels, int stride) {
  Tensor y = tape.Conv(x, channels, Window(3, stride));
  y = tape.Relu(tape.BatchNorm(y));
  y = tape.BatchNorm(tape.Conv(y, channels, Window(3)));
  const bool same = stride == 1 && x.dim(3) == channels;
  const Tensor shortcut = same ? x : tape.Conv(x, channels, Window(1, stride));
  return tape.Relu(tape.Add(shortcut, y));
}

}  // namespace

void ResNetTrainingStep(Network& network) {
  constexpr int kBatch = 32;
  constexpr int kClasses = 10;
  const Tensor images = network.Input({kBatch, 32, 32, 3});
  Tape tape(images);
  const Tensor labels = network.Input({kBatch, kClasses});
  Tensor x = tape.Conv(images, 16, Window(3));
  x = tape.Relu(tape.BatchNorm(x));
  for (int channels : {16, 32, 64}) {
    for (int i = 0; i < 3; ++i) {
      const int stride = i == 0 && channels > 16 ? 2 : 1;
      x = Block(tape, x, channels, stride);
    }
  }
  x = tape.FullyConnected(tape.GlobalAveragePool(x), kClasses);
  const Tensor error = Sub(Unary(Op::SOFTMAX, x), labels);
  tape.Backward(x, MulScalar(error));
  tape.Update();
}

}  // namespace stowage::networks
