// SPDX-License-Identifier: Apache-2.0
// NASNet-A. Its cells were found by search, and each reads the two before it.
//
// Zoph et al. 2017, figure 4 and appendix A: the mobile model, 4 cells between
// reductions, 44 filters at first, 1056 at the end.
#include <utility>

#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

// Applies a separable convolution twice. Each is preceded by a ReLU, which
// cannot be fused because no convolution is directly before it.
Tensor Separable(Tensor x, int channels, int size, int stride = 1) {
  for (int step : {stride, 1}) {
    x = DepthwiseConv(Unary(Op::RELU, x), Window(size, step));
    x = Conv(x, channels, Window(1));
  }
  return x;
}

Tensor Squeeze(Tensor x, int channels) {
  return Conv(Unary(Op::RELU, x), channels, Window(1));
}

// Halves an image on two paths that read different pixels.
Tensor FactorizedReduction(Tensor x, int channels) {
  x = Unary(Op::RELU, x);
  const Window every_second(1, 2);
  const Tensor even =
      Conv(AveragePool(x, every_second), channels / 2, Window(1));
  const Tensor odd =
      Conv(AveragePool(x, every_second), channels / 2, Window(1));
  return Concat({even, odd}, -1);
}

// The outputs of the last two cells, the later one first.
using Outputs = std::pair<Tensor, Tensor>;

// Returns both outputs with the same size and number of channels.
Outputs Adjusted(const Outputs& outputs, int channels) {
  auto [current, previous] = outputs;
  const bool smaller = current.dim(1) != previous.dim(1);
  previous = smaller ? FactorizedReduction(previous, channels)
                     : Squeeze(previous, channels);
  current = Squeeze(current, channels);
  return {current, previous};
}

Outputs NormalCell(const Outputs& outputs, int channels) {
  const auto [h, p] = Adjusted(outputs, channels);
  const Window pool(3);
  const Tensor far = Separable(h, channels, 5);
  const Tensor a = Add(far, Separable(p, channels, 3));
  const Tensor wide = Separable(p, channels, 5);
  const Tensor b = Add(wide, Separable(p, channels, 3));
  const Tensor c = Add(AveragePool(h, pool), p);
  const Tensor mean = AveragePool(p, pool);
  const Tensor d = Add(mean, AveragePool(p, pool));
  const Tensor e = Add(Separable(h, channels, 3), h);
  return {Concat({p, a, b, c, d, e}, -1), outputs.first};
}

Outputs ReductionCell(const Outputs& outputs, int channels) {
  const auto [h, p] = Adjusted(outputs, channels);
  const Window pool(3, 2);
  const Tensor far = Separable(h, channels, 5, 2);
  const Tensor a = Add(far, Separable(p, channels, 7, 2));
  const Tensor largest = MaxPool(h, pool);
  const Tensor b = Add(largest, Separable(p, channels, 7, 2));
  const Tensor mean = AveragePool(h, pool);
  const Tensor c = Add(mean, Separable(p, channels, 5, 2));
  const Tensor d = Add(AveragePool(a, Window(3)), b);
  const Tensor e = Add(Separable(a, channels, 3), largest);
  return {Concat({b, c, d, e}, -1), outputs.first};
}

}  // namespace

void NasNetMobile(Network& network) {
  constexpr int kFilters = 44;
  constexpr int kCells = 4;
  const Tensor stem =
      Conv(network.Input({1, 224, 224, 3}), 32, Window(3, 2, Padding::kValid));
  Outputs outputs = {stem, stem};
  outputs = ReductionCell(outputs, kFilters / 4);
  outputs = ReductionCell(outputs, kFilters / 2);
  for (int filters : {kFilters, 2 * kFilters, 4 * kFilters}) {
    if (filters > kFilters) outputs = ReductionCell(outputs, filters);
    for (int i = 0; i < kCells; ++i) outputs = NormalCell(outputs, filters);
  }
  Tensor x = GlobalAveragePool(Unary(Op::RELU, outputs.first));
  network.Output(Unary(Op::SOFTMAX, FullyConnected(Flatten(x), 1000)));
}

}  // namespace stowage::networks
