// SPDX-License-Identifier: Apache-2.0
// SqueezeNet. Its fire modules narrow the channels before they widen them in
// two ways.
//
// Iandola et al. 2016, table 1 (version 1.0). The weights are stored as
// float16, so each of them is the result of a DEQUANTIZE, which a runtime
// computes only once. These tasks have no record.
#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

Tensor Fire(Tensor x, int squeezed, int expanded) {
  x = Conv(x, squeezed, Window(1));
  const Tensor narrow = Conv(x, expanded, Window(1));
  const Tensor wide = Conv(x, expanded, Window(3));
  return Concat({narrow, wide}, -1);
}

}  // namespace

void SqueezeNetHalfWeights(Network& network) {
  const Window pool(3, 2, Padding::kValid);
  network.set_stored_weights_type(ElementType::FLOAT16);
  Tensor x = network.Input({1, 224, 224, 3});
  x = MaxPool(Conv(x, 96, Window(7, 2)), pool);
  x = Fire(Fire(Fire(x, 16, 64), 16, 64), 32, 128);
  x = MaxPool(x, pool);
  x = Fire(Fire(Fire(Fire(x, 32, 128), 48, 192), 48, 192), 64, 256);
  x = MaxPool(x, pool);
  x = Conv(Fire(x, 64, 256), 1000, Window(1));
  network.Output(Unary(Op::SOFTMAX, Flatten(GlobalAveragePool(x))));
}

}  // namespace stowage::networks
