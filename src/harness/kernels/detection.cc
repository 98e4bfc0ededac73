#include "src/harness/kernels/detection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace stowage::harness {
namespace {

float Area(const BoxCorners& box) {
  return (box.bottom - box.top) * (box.right - box.left);
}

}  // namespace

BoxCorners DecodeBox(const BoxCenter& encoding, const BoxCenter& anchor,
                     const BoxCenter& scales) {
  // In double precision, of which each result is rounded once.
  const auto center = [](double code, double scale, double size, double at) {
    return static_cast<float>(code / scale * size + at);
  };
  const auto half = [](double code, double scale, double size) {
    return static_cast<float>(0.5 * std::exp(code / scale) * size);
  };
  const float y = center(encoding.y, scales.y, anchor.height, anchor.y);
  const float x = center(encoding.x, scales.x, anchor.width, anchor.x);
  const float up = half(encoding.height, scales.height, anchor.height);
  const float aside = half(encoding.width, scales.width, anchor.width);
  return {y - up, x - aside, y + up, x + aside};
}

float IntersectionOverUnion(const BoxCorners& a, const BoxCorners& b) {
  const float area_a = Area(a);
  const float area_b = Area(b);
  if (!(area_a > 0) || !(area_b > 0)) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float shared = std::max(height, 0.0F) * std::max(width, 0.0F);
  return shared / (area_a + area_b - shared);
}

bool IsBetterScore(float a, float b) {
  return a > b || (!std::isnan(a) && std::isnan(b));
}

absl::Span<const int32_t> SuppressOverlaps(absl::Span<const BoxCorners> boxes,
                                           absl::Span<const float> scores,
                                           const SuppressionOptions& options,
                                           absl::Span<int32_t> scratch) {
  size_t candidates = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= options.min_score) {
      scratch[candidates++] = static_cast<int32_t>(i);
    }
  }
  const auto score = [&](int32_t i) { return scores[static_cast<size_t>(i)]; };
  const auto box = [&](int32_t i) -> const BoxCorners& {
    return boxes[static_cast<size_t>(i)];
  };
  std::sort(scratch.begin(),
            scratch.begin() + static_cast<ptrdiff_t>(candidates),
            [&](int32_t a, int32_t b) {
              if (score(a) != score(b)) return score(a) > score(b);
              return a < b;
            });
  // What is kept is written over candidates that have had their turn.
  size_t kept = 0;
  for (size_t i = 0; i < candidates; ++i) {
    if (static_cast<int64_t>(kept) >= options.max_boxes) break;
    const int32_t candidate = scratch[i];
    bool overlaps = false;
    for (size_t k = 0; k < kept && !overlaps; ++k) {
      overlaps = IntersectionOverUnion(box(scratch[k]), box(candidate)) >
                 options.max_overlap;
    }
    if (!overlaps) scratch[kept++] = candidate;
  }
  return scratch.first(kept);
}

}  // namespace stowage::harness
