// SPDX-License-Identifier: Apache-2.0
// Finds operators that do more than write their outputs. Code that reorders or
// removes operators of a model must keep the operators with side effects, and
// keep them in their order (streams.h).
#ifndef STOWAGE_TFLITE_SIDE_EFFECTS_H_
#define STOWAGE_TFLITE_SIDE_EFFECTS_H_

#include "stowage/tflite/model.h"

namespace stowage {

// Returns whether the operator has side effects, and must therefore keep its
// place in the order of all operators with side effects. An operator has side
// effects if one of its inputs or outputs is a resource, or if it runs other
// subgraphs. O(inputs and outputs of the operator).
bool HasSideEffects(const SubgraphSpec& graph, const OperatorSpec& op);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_SIDE_EFFECTS_H_
