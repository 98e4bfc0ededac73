// SPDX-License-Identifier: Apache-2.0
// Recurrent networks, unrolled: there is one copy of the cell for every time
// step.
//
// Source of the cell: Hochreiter and Schmidhuber 1997, with the forget gate of
// Gers et al. 2000. The bidirectional network, which joins pairs of time steps
// from layer to layer, is the listener of Chan et al. 2015, section 3.1.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

// A tensor {batch, features} for each time step.
using Sequence = std::vector<Tensor>;

// The state that a cell passes to the next time step.
struct State {
  Tensor hidden;
  Tensor memory;
};

State LstmCell(Tensor x, const State& state) {
  const Extent units = state.hidden.dim(1);
  const Tensor joined = Concat({x, state.hidden}, 1);
  const auto gates = Split(FullyConnected(joined, 4 * units), 1, 4);
  const Tensor input = Unary(Op::LOGISTIC, gates[0]);
  const Tensor candidate = Unary(Op::TANH, gates[1]);
  const Tensor forget = Unary(Op::LOGISTIC, gates[2]);
  const Tensor output = Unary(Op::LOGISTIC, gates[3]);
  const Tensor kept = Mul(state.memory, forget);
  const Tensor memory = Add(kept, Mul(input, candidate));
  return {Mul(output, Unary(Op::TANH, memory)), memory};
}

Sequence LstmLayer(const Sequence& xs, int units) {
  Network& network = xs.front().network();
  const Shape shape = {xs.front().dim(0), units};
  const Tensor zeros = network.Constant(shape, xs.front().type());
  State state = {zeros, zeros};
  Sequence outputs;
  for (Tensor x : xs) {
    state = LstmCell(x, state);
    outputs.push_back(state.hidden);
  }
  return outputs;
}

// Runs forwards, then backwards. The outputs of the first direction are kept
// until the second has run.
Sequence BidirectionalLayer(Sequence xs, int units) {
  const Sequence forward = LstmLayer(xs, units);
  std::reverse(xs.begin(), xs.end());
  const Sequence backward = LstmLayer(xs, units);
  Sequence outputs;
  for (size_t i = 0; i < xs.size(); ++i) {
    outputs.push_back(Concat({forward[i], backward[xs.size() - 1 - i]}, 1));
  }
  return outputs;
}

Sequence JoinPairs(const Sequence& xs) {
  Sequence pairs;
  for (size_t i = 0; i + 1 < xs.size(); i += 2) {
    pairs.push_back(Concat({xs[i], xs[i + 1]}, 1));
  }
  return pairs;
}

}  // namespace

void Lstm(Network& network) {
  constexpr int kSteps = 24;
  constexpr int kFeatures = 80;
  Sequence xs = Unpack(network.Input({1, kSteps, kFeatures}), 1);
  for (int units : {256, 128}) xs = LstmLayer(xs, units);
  network.Output(Unary(Op::SOFTMAX, FullyConnected(xs.back(), 30)));
}

void BidirectionalLstm(Network& network) {
  constexpr int kBatch = 4;
  constexpr int kSteps = 16;
  constexpr int kFeatures = 40;
  constexpr int kUnits = 256;
  Sequence xs = Unpack(network.Input({kBatch, kSteps, kFeatures}), 1);
  xs = BidirectionalLayer(xs, kUnits);
  for (int layer = 0; layer < 3; ++layer) {
    xs = BidirectionalLayer(JoinPairs(xs), kUnits);
  }
  network.Output(Pack(xs, 1));
}

}  // namespace stowage::networks
