// SPDX-License-Identifier: Apache-2.0
// The residual network of 50 layers, which other networks are built on.
//
// He et al. 2015, table 1.
#ifndef STOWAGE_DATA_NETWORKS_RESNET_H_
#define STOWAGE_DATA_NETWORKS_RESNET_H_

#include <vector>

#include "data/networks/network.h"

namespace stowage::networks {

// The outputs of the four stages, at 1/4 to 1/32 of the size of the image. The
// last one keeps the size of the one before, and reads every second pixel
// instead, if it is `dilated`.
std::vector<Tensor> ResNet50Stages(Tensor image, bool dilated = false);

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_RESNET_H_
