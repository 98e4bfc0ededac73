// SPDX-License-Identifier: Apache-2.0
// Whether tensors may share bytes because custom operators alone know what is
// in them.
#ifndef STOWAGE_SRC_TFLITE_CUSTOM_OVERLAP_H_
#define STOWAGE_SRC_TFLITE_CUSTOM_OVERLAP_H_

#include "stowage/tflite/micro_trace.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Both are tensors of one subgraph, and wherever both are live there, a custom
// operator runs that has both as operands and alone can see that they share
// bytes: at most one brings data to it, and what is used after it, at most one
// of them, is its output. Memory that custom operators work in, which nothing
// writes, is live at these operators alone. O(operators).
bool IsOverlapOfCustomOperators(const Model& model, const MicroBuffer& a,
                                const MicroBuffer& b);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_CUSTOM_OVERLAP_H_
