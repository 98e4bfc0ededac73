// SPDX-License-Identifier: Apache-2.0
// A model that can run, because it has weights, options and quantisation.
//
// It is a small residual network for images of 16 x 16, in 8 bits. Its weights
// are generated from a fixed seed, so it does not recognise anything. But it
// has what real networks of its kind have, from convolutions with a scale per
// channel to the softmax.
#ifndef STOWAGE_DATA_NETWORKS_RUNNABLE_H_
#define STOWAGE_DATA_NETWORKS_RUNNABLE_H_

#include <string>

namespace stowage::networks {

// Returns the bytes of the .tflite file, which are the same at every call.
std::string RunnableModel();

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_RUNNABLE_H_
