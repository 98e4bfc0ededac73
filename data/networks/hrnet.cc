// SPDX-License-Identifier: Apache-2.0
// HRNet. Several resolutions are computed side by side and exchanged
// repeatedly.
//
// Wang et al. 2019, section 3 and figure 2: HRNetV2-W18 for segmentation, with
// modules of up to four branches, each of four residual blocks.
#include <cstddef>
#include <vector>

#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

// The branches, from the finest to the coarsest.
using Branches = std::vector<Tensor>;

// The finest branch has 18 channels, and each further one has twice as many.
int BranchWidth(size_t branch) { return 18 << branch; }

Tensor Bottleneck(Tensor x) {
  Tensor y = Conv(Conv(x, 64, Window(1)), 64, Window(3));
  y = Conv(y, 256, Window(1));
  return Add(x.dim(3) == 256 ? x : Conv(x, 256, Window(1)), y);
}

Tensor BasicBlock(Tensor x) {
  const Extent channels = x.dim(3);
  return Add(x, Conv(Conv(x, channels, Window(3)), channels, Window(3)));
}

// Returns what branch `from` contributes to branch `to`. It is shrunk step by
// step, or enlarged in one step.
Tensor Exchange(const Branches& branches, size_t from, size_t to) {
  Tensor x = branches[from];
  if (from > to) {
    x = Conv(x, BranchWidth(to), Window(1));
    return ResizeBilinear(x, branches[to].dim(1), branches[to].dim(2));
  }
  for (size_t step = from; step < to; ++step) {
    const size_t width = step + 1 == to ? to : from;
    x = Conv(x, BranchWidth(width), Window(3, 2));
  }
  return x;
}

Branches Module(Branches branches) {
  for (Tensor& branch : branches) {
    for (int i = 0; i < 4; ++i) branch = BasicBlock(branch);
  }
  Branches exchanged;
  for (size_t to = 0; to < branches.size(); ++to) {
    Tensor sum = Exchange(branches, 0, to);
    for (size_t from = 1; from < branches.size(); ++from) {
      sum = Add(sum, Exchange(branches, from, to));
    }
    exchanged.push_back(sum);
  }
  return exchanged;
}

}  // namespace

void HRNet(Network& network) {
  constexpr int kClasses = 19;
  Tensor x = network.Input({1, 512, 512, 3});
  x = Conv(Conv(x, 64, Window(3, 2)), 64, Window(3, 2));
  for (int i = 0; i < 4; ++i) x = Bottleneck(x);

  Branches branches = {Conv(x, BranchWidth(0), Window(3))};
  for (int modules : {1, 4, 3}) {
    const Tensor coarsest = branches.size() == 1 ? x : branches.back();
    branches.push_back(
        Conv(coarsest, BranchWidth(branches.size()), Window(3, 2)));
    for (int i = 0; i < modules; ++i) branches = Module(branches);
  }

  const Tensor finest = branches.front();
  for (size_t i = 1; i < branches.size(); ++i) {
    branches[i] = ResizeBilinear(branches[i], finest.dim(1), finest.dim(2));
  }
  x = Concat(branches, -1);
  x = Conv(Conv(x, x.dim(3), Window(1)), kClasses, Window(1));
  network.Output(ResizeBilinear(x, 512, 512));
}

}  // namespace stowage::networks
