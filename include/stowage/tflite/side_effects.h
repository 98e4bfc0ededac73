// SPDX-License-Identifier: Apache-2.0
// Finds operators that do more than write their outputs. Code that reorders or
// removes operators of a model must not remove operators with side effects, and
// must keep them in order (streams.h).
#ifndef STOWAGE_TFLITE_SIDE_EFFECTS_H_
#define STOWAGE_TFLITE_SIDE_EFFECTS_H_

#include "stowage/tflite/model.h"

namespace stowage {

// Returns whether the operator has side effects, and must therefore keep its
// place in the order of all operators with side effects. This is the case if
// one of its inputs or outputs is a resource, or if the operator runs other
// subgraphs. O(inputs and outputs of the operator).
bool HasSideEffects(const SubgraphSpec& graph, const OperatorSpec& op);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_SIDE_EFFECTS_H_
