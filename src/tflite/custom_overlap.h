// SPDX-License-Identifier: Apache-2.0
// Whether tensors may share bytes because one custom operator alone knows what
// is in them.
#ifndef STOWAGE_SRC_TFLITE_CUSTOM_OVERLAP_H_
#define STOWAGE_SRC_TFLITE_CUSTOM_OVERLAP_H_

#include "stowage/tflite/micro_trace.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Both are tensors of one custom operator, which has them as operands, and only
// it can see that they share bytes: at most one brings data to it, and what is
// used after it, at most one of them, is its output. O(operators).
bool IsOverlapOfCustomOperator(const Model& model, const MicroBuffer& a,
                               const MicroBuffer& b);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_CUSTOM_OVERLAP_H_
