// SPDX-License-Identifier: Apache-2.0
// Places the buffers that have no offset in a plan, exactly as TensorFlow Lite
// Micro would place them. Also checks the given offsets of a plan, before the
// other buffers are placed.
#ifndef STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_
#define STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage {

// Sets `offset` of every buffer that has no `given` offset. Buffers with a
// given offset do not move; the others are placed around them. Requires that
// every given offset is a multiple of kMicroAlignment. Buffers with a given
// offset may share bytes, since first fit depends only on which bytes are
// occupied while a tensor is live. Errors: those of Problem::Create and Solve.
// O(n log n + m^2), where m is the number of buffers that share bytes.
absl::Status PlaceOnDevice(std::vector<OfflineBuffer>* buffers);

// Like CheckOfflinePlan, but checks only the offsets in the plan. Does not
// place the other buffers, so the verdict does not contain the size of the
// head.
absl::StatusOr<OfflineVerdict> CheckGivenOffsets(
    const Model& model, const OfflinePlan& plan,
    const OfflineCheckOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_
