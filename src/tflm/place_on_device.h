// SPDX-License-Identifier: Apache-2.0
// Places the buffers that a plan leaves to TensorFlow Lite Micro, and checks a
// plan before they are placed.
#ifndef STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_
#define STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage {

// Sets `offset` of the buffers without `given`, around the others, whose
// offsets must be multiples of kMicroAlignment. The others may share bytes,
// since first fit only depends on which bytes are taken while a tensor is live.
// Errors: those of Problem::Create and Solve. O(n log n + m^2) for m buffers
// that share bytes.
absl::Status PlaceOnDevice(std::vector<OfflineBuffer>* buffers);

// Checks like CheckOfflinePlan, but only the offsets in the plan: nothing is
// placed around them, and there is no head.
absl::StatusOr<OfflineVerdict> CheckGivenOffsets(
    const Model& model, const OfflinePlan& plan,
    const OfflineCheckOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_
