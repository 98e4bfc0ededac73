// SPDX-License-Identifier: Apache-2.0
// Places the buffers for which a plan has no offset, in the same way as
// TensorFlow Lite Micro. Also checks a plan before these buffers are placed.
#ifndef STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_
#define STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage {

// Sets `offset` of the buffers that have no `given` offset. Places these
// buffers around the buffers with a given offset. Every given offset must be a
// multiple of kMicroAlignment. Buffers with a given offset may share bytes,
// since first fit depends only on which bytes are taken while a tensor is live.
// Errors: those of Problem::Create and Solve. O(n log n + m^2) for m buffers
// that share bytes.
absl::Status PlaceOnDevice(std::vector<OfflineBuffer>* buffers);

// Does the same as CheckOfflinePlan, but checks only the offsets in the plan.
// Places no other buffers, so the verdict has no size of the head.
absl::StatusOr<OfflineVerdict> CheckGivenOffsets(
    const Model& model, const OfflinePlan& plan,
    const OfflineCheckOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_
