// SPDX-License-Identifier: Apache-2.0
// Reads the options of the custom operator TFLite_Detection_PostProcess.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_DETECTION_OPTIONS_H_
#define STOWAGE_SRC_HARNESS_KERNELS_DETECTION_OPTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace stowage::harness {

// A center and a size: an anchor, a box relative to an anchor, or the scales of
// encodings.
struct BoxCenter {
  float y = 0;
  float x = 0;
  float height = 0;
  float width = 0;
};

struct DetectionOptions {
  int32_t max_detections = 0;
  int32_t max_classes_per_detection = 0;  // is used unless is_per_class is true
  int32_t detections_per_class = 100;     // is used if is_per_class is true
  bool is_per_class = false;  // says whether overlaps count only within a class
  float min_score = 0;
  float max_overlap = 0;
  int32_t classes = 0;  // does not count the background
  BoxCenter scales;
};

// Reads the custom options of the operator, which are stored as a flexbuffer.
// Error: InvalidArgument if the bytes are not a flexbuffer, or if a number is
// missing or out of range.
absl::StatusOr<DetectionOptions> ReadDetectionOptions(
    absl::Span<const uint8_t> bytes);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_DETECTION_OPTIONS_H_
