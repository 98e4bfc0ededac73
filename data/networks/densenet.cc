// DenseNet: every layer of a block reads what all the ones before it wrote.
//
// Huang et al. 2016, table 1 (121 layers, growth 32). Normalisation comes
// before the convolution and cannot be folded into one; it is a product and a
// sum.
#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

constexpr int kGrowth = 32;

Tensor Normalize(Tensor x) { return AddChannels(MulChannels(x)); }

Tensor DenseLayer(Tensor x) {
  Tensor y = Conv(Normalize(x), 4 * kGrowth, Window(1));
  y = Conv(y, kGrowth, Window(3));
  return Concat({x, y}, -1);
}

Tensor Transition(Tensor x) {
  x = Conv(Normalize(x), x.dim(3) / 2, Window(1));
  return AveragePool(x, Window(2, 2));
}

}  // namespace

void DenseNet121(Network& network) {
  Tensor x = network.Input({1, 224, 224, 3});
  x = MaxPool(Conv(x, 64, Window(7, 2)), Window(3, 2));
  bool first = true;
  for (int layers : {6, 12, 24, 16}) {
    if (!first) x = Transition(x);
    first = false;
    for (int i = 0; i < layers; ++i) x = DenseLayer(x);
  }
  x = FullyConnected(Flatten(GlobalAveragePool(Normalize(x))), 1000);
  network.Output(Unary(Op::SOFTMAX, x));
}

}  // namespace stowage::networks
