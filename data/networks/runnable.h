// SPDX-License-Identifier: Apache-2.0
// A model that runs: with weights, options and quantisation.
//
// A small residual network for images of 16 x 16, in 8 bits. Its weights are
// drawn from a fixed seed, so it recognises nothing; but it has what real
// networks of its kind have, from the convolution per channel to the softmax.
#ifndef STOWAGE_DATA_NETWORKS_RUNNABLE_H_
#define STOWAGE_DATA_NETWORKS_RUNNABLE_H_

#include <string>

namespace stowage::networks {

// The bytes of the .tflite file: the same at every call.
std::string RunnableModel();

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_RUNNABLE_H_
