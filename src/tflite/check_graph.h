// SPDX-License-Identifier: Apache-2.0
// Checks whether the operators of a graph can run in the order in which they
// are listed.
#ifndef STOWAGE_SRC_TFLITE_CHECK_GRAPH_H_
#define STOWAGE_SRC_TFLITE_CHECK_GRAPH_H_

#include "absl/status/status.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Visits the operators in order without computing anything, and marks the
// tensors that depend only on constants (TensorSpec::is_folded). Requires valid
// indices. Errors: InvalidArgument, with the name of the operator or the
// tensor, if a tensor is read before it is written, is written twice, or is
// written although it is a constant or an input of the graph. O(operators and
// their tensors).
absl::Status CheckGraph(SubgraphSpec* graph);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_CHECK_GRAPH_H_
