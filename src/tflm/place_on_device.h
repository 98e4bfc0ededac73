// SPDX-License-Identifier: Apache-2.0
// Where TensorFlow Lite Micro puts what a plan leaves to it, and what can be
// said of a plan before.
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
// offsets are multiples of kMicroAlignment: first fit asks only which bytes are
// taken while a tensor is live, not by how many. Errors: those of
// Problem::Create and Solve. O(n log n + m^2) for m buffers that share bytes.
absl::Status PlaceOnDevice(std::vector<OfflineBuffer>* buffers);

// Checks like CheckOfflinePlan, but only the offsets in the plan: nothing is
// placed around them, and there is no head.
absl::StatusOr<OfflineVerdict> CheckGivenOffsets(
    const Model& model, const OfflinePlan& plan,
    const OfflineCheckOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_PLACE_ON_DEVICE_H_
