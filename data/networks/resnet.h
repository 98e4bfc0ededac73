// SPDX-License-Identifier: Apache-2.0
// The residual network of 50 layers, which other networks use as a backbone.
//
// He et al. 2015, table 1.
#ifndef STOWAGE_DATA_NETWORKS_RESNET_H_
#define STOWAGE_DATA_NETWORKS_RESNET_H_

#include <vector>

#include "data/networks/network.h"

namespace stowage::networks {

// Returns the outputs of the four stages, at 1/4 to 1/32 of the size of the
// image. If `dilated`, the last output keeps the size of the one before it, and
// its convolutions read every second pixel.
std::vector<Tensor> ResNet50Stages(Tensor image, bool dilated = false);

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_RESNET_H_
