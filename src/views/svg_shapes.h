// SPDX-License-Identifier: Apache-2.0
// The rectangles of a picture, in eighths of a pixel: which records have one,
// and which are merged into runs of pixels.
#ifndef STOWAGE_SRC_VIEWS_SVG_SHAPES_H_
#define STOWAGE_SRC_VIEWS_SVG_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// Of a pixel.
inline constexpr int64_t kEighths = 8;
inline constexpr size_t kMostRectangles = 4000;
inline constexpr size_t kMostRuns = 8000;
// Shades of pixels that are partly occupied.
inline constexpr size_t kShades = 8;
// By how much of all tasks a tensor is live: half, a quarter, ..., less.
inline constexpr size_t kLifetimeClasses = 6;

// y runs downwards, as in SVG.
struct SvgBox {
  int64_t x = 0;
  int64_t y = 0;
  int64_t width = 0;
  int64_t height = 0;
};

// Where tasks and bytes are on the picture.
struct SvgScale {
  SvgBox frame;
  TaskId first_task = 0;
  uint64_t tasks = 1;  // of the frame's width
  uint64_t bytes = 1;  // of its height, from 0 at its bottom

  // Positions within the frame, rounded towards the first task and byte 0.
  int64_t X(TaskId task) const;
  int64_t Y(uint64_t byte) const;
  // Of a record at an offset.
  SvgBox BoxOf(const TensorUsageRecord<size_t>& record, size_t offset) const;
};

// `box` as a closed part of a path.
class SvgPath {
 public:
  void Add(const SvgBox& box);
  bool empty() const { return data_.empty(); }
  const std::string& data() const { return data_; }

 private:
  std::string data_;
  int64_t x_ = 0;
  int64_t y_ = 0;
};

struct SvgShapes {
  // Of records with a rectangle of their own, at least a pixel wide and high;
  // by index.
  std::vector<size_t> drawn;
  // What the others occupy: the shade's number is the share, in eighths.
  SvgPath runs[kShades + 1];
  size_t run_count = 0;
};

// 0 for a tensor that is live at half of all tasks or more.
size_t LifetimeClass(const TensorUsageRecord<size_t>& record, uint64_t tasks);

// O(n log n + pixels).
SvgShapes MakeShapes(const PlanView& view, const SvgScale& scale);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_SVG_SHAPES_H_
