// SPDX-License-Identifier: Apache-2.0
// MobileNet v1, which other networks use as a backbone.
//
// Howard et al. 2017, table 1.
#ifndef STOWAGE_DATA_NETWORKS_MOBILENET_H_
#define STOWAGE_DATA_NETWORKS_MOBILENET_H_

#include <vector>

#include "data/networks/network.h"

namespace stowage::networks {

// Returns the outputs of the five stages, at 1/2 to 1/32 of the size of the
// image.
std::vector<Tensor> MobileNetV1Stages(Tensor image);

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_MOBILENET_H_
