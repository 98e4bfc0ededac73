// SPDX-License-Identifier: Apache-2.0
// Where TensorFlow Lite Micro puts what a plan leaves to it.
#ifndef STOWAGE_SRC_TFLITE_PLACE_ON_DEVICE_H_
#define STOWAGE_SRC_TFLITE_PLACE_ON_DEVICE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stowage/tflite/offline_check.h"

namespace stowage {

// Sets `offset` of the buffers without `given`, around the others, whose
// offsets are multiples of kMicroAlignment. Those of `overlaps` alone share
// bytes while they are live, as no problem may have it. Errors: those of
// Problem::Create and Solve. O(n log n + m^2) for m buffers that overlap.
absl::Status PlaceOnDevice(absl::Span<const OfflineViolation> overlaps,
                           std::vector<OfflineBuffer>* buffers);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_PLACE_ON_DEVICE_H_
