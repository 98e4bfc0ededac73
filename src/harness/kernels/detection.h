// Boxes of detected objects: from encodings to corners, and which of them are
// kept.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_DETECTION_H_
#define STOWAGE_SRC_HARNESS_KERNELS_DETECTION_H_

#include <cstdint>

#include "absl/types/span.h"

namespace stowage::harness {

// Four floats, as tensors hold them.
struct BoxCorners {
  float top = 0;
  float left = 0;
  float bottom = 0;
  float right = 0;
};

// A box relative to an anchor, an anchor itself, or the scales of encodings.
struct BoxCenter {
  float y = 0;
  float x = 0;
  float height = 0;
  float width = 0;
};

// Source: W. Liu et al., "SSD: Single Shot MultiBox Detector" (2016), section
// 2.2.
BoxCorners DecodeBox(const BoxCenter& encoding, const BoxCenter& anchor,
                     const BoxCenter& scales);

// The area that two boxes share, of the area that they cover; 0 if one has
// none.
float IntersectionOverUnion(const BoxCorners& a, const BoxCorners& b);

// Whether score `a` goes before score `b`: what is no number goes last.
bool IsBetterScore(float a, float b);

struct SuppressionOptions {
  float min_score = 0;
  float max_overlap = 0;  // intersection over union
  int64_t max_boxes = 0;
};

// Non-maximum suppression: the best box, then the best of those that do not
// overlap it too much, and so on. Of equal scores the first goes first.
// `scratch` has an element for each box; the result is the first part of it.
// O(boxes * (log boxes + result)).
absl::Span<const int32_t> SuppressOverlaps(absl::Span<const BoxCorners> boxes,
                                           absl::Span<const float> scores,
                                           const SuppressionOptions& options,
                                           absl::Span<int32_t> scratch);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_DETECTION_H_
