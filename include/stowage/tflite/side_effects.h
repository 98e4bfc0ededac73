// SPDX-License-Identifier: Apache-2.0
// Finds operators that do more than write their outputs. Code that reorders or
// leaves out operators of a model must leave these in their places (streams.h).
#ifndef STOWAGE_TFLITE_SIDE_EFFECTS_H_
#define STOWAGE_TFLITE_SIDE_EFFECTS_H_

#include "stowage/tflite/model.h"

namespace stowage {

// Returns whether the operator must keep its order among the other operators
// with side effects. It must if it has a resource, or if it runs other
// subgraphs. O(inputs and outputs of the operator).
bool HasSideEffects(const SubgraphSpec& graph, const OperatorSpec& op);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_SIDE_EFFECTS_H_
