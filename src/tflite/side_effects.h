// SPDX-License-Identifier: Apache-2.0
// Finds operators that have effects other than their outputs.
#ifndef STOWAGE_SRC_TFLITE_SIDE_EFFECTS_H_
#define STOWAGE_SRC_TFLITE_SIDE_EFFECTS_H_

#include "stowage/tflite/model.h"

namespace stowage {

// Returns whether the operator runs other subgraphs.
bool CallsSubgraphs(const OperatorSpec& op);

// Returns whether the order of the operator among others of its kind matters:
// it has a resource, or runs other subgraphs.
bool HasSideEffects(const SubgraphSpec& graph, const OperatorSpec& op);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_SIDE_EFFECTS_H_
