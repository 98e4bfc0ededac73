// SPDX-License-Identifier: Apache-2.0
// Inception v3. Modules of parallel branches are joined by concatenations.
//
// Szegedy et al. 2015, table 1 and figures 5 to 7 and 10, with the widths of
// the authors' published model.
#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

constexpr Window kReduce(3, 2, Padding::kValid);

// A 1x7 and a 7x1 convolution replace one of 7x7.
Tensor Row7(Tensor x, int channels) {
  return Conv(x, channels, Window::Rectangle(1, 7));
}
Tensor Column7(Tensor x, int channels) {
  return Conv(x, channels, Window::Rectangle(7, 1));
}

Tensor PooledBranch(Tensor x, int channels) {
  return Conv(AveragePool(x, Window(3)), channels, Window(1));
}

Tensor Stem(Tensor x) {
  x = Conv(x, 32, kReduce);
  x = Conv(x, 32, Window(3, 1, Padding::kValid));
  x = Conv(x, 64, Window(3));
  x = MaxPool(x, kReduce);
  x = Conv(x, 80, Window(1));
  x = Conv(x, 192, Window(3, 1, Padding::kValid));
  return MaxPool(x, kReduce);
}

// The module of figure 5, in which two 3x3 convolutions replace one of 5x5.
Tensor Module35(Tensor x, int pooled) {
  const Tensor one = Conv(x, 64, Window(1));
  const Tensor five = Conv(Conv(x, 48, Window(1)), 64, Window(5));
  Tensor three = Conv(x, 64, Window(1));
  three = Conv(Conv(three, 96, Window(3)), 96, Window(3));
  return Concat({one, five, three, PooledBranch(x, pooled)}, -1);
}

Tensor ReduceTo17(Tensor x) {
  const Tensor three = Conv(x, 384, kReduce);
  Tensor twice = Conv(Conv(x, 64, Window(1)), 96, Window(3));
  twice = Conv(twice, 96, kReduce);
  return Concat({three, twice, MaxPool(x, kReduce)}, -1);
}

// The module of figure 6, with factorised 7x7 branches.
Tensor Module17(Tensor x, int width) {
  const Tensor one = Conv(x, 192, Window(1));
  Tensor seven = Row7(Conv(x, width, Window(1)), width);
  seven = Column7(seven, 192);
  Tensor twice = Column7(Conv(x, width, Window(1)), width);
  twice = Column7(Row7(twice, width), width);
  twice = Row7(twice, 192);
  return Concat({one, seven, twice, PooledBranch(x, 192)}, -1);
}

Tensor ReduceTo8(Tensor x) {
  const Tensor three = Conv(Conv(x, 192, Window(1)), 320, kReduce);
  Tensor seven = Row7(Conv(x, 192, Window(1)), 192);
  seven = Conv(Column7(seven, 192), 192, kReduce);
  return Concat({three, seven, MaxPool(x, kReduce)}, -1);
}

// The module of figure 7, in which branches fork once more at their end.
Tensor Module8(Tensor x) {
  const auto fork = [](Tensor y) {
    const Tensor row = Conv(y, 384, Window::Rectangle(1, 3));
    const Tensor column = Conv(y, 384, Window::Rectangle(3, 1));
    return Concat({row, column}, -1);
  };
  const Tensor one = Conv(x, 320, Window(1));
  const Tensor three = fork(Conv(x, 384, Window(1)));
  const Tensor twice = fork(Conv(Conv(x, 448, Window(1)), 384, Window(3)));
  return Concat({one, three, twice, PooledBranch(x, 192)}, -1);
}

void InceptionOf(Network& network, const Extent& size) {
  Tensor x = Stem(network.Input({1, size, size, 3}));
  for (int pooled : {32, 64, 64}) x = Module35(x, pooled);
  x = ReduceTo17(x);
  for (int width : {128, 160, 160, 192}) x = Module17(x, width);
  x = ReduceTo8(x);
  for (int i = 0; i < 2; ++i) x = Module8(x);
  x = FullyConnected(Flatten(GlobalAveragePool(x)), 1000);
  network.Output(Unary(Op::SOFTMAX, x));
}

}  // namespace

void InceptionV3(Network& network) { InceptionOf(network, 299); }

void InceptionByImage(Network& network) {
  InceptionOf(network, network.Parameter({"image", 128, 512}));
}

}  // namespace stowage::networks
