// SPDX-License-Identifier: Apache-2.0
// Computes the shapes of a picture, in eighths of a pixel. Large records get
// rectangles of their own, and all others are merged into runs of pixels.
#ifndef STOWAGE_SRC_VIEWS_SVG_SHAPES_H_
#define STOWAGE_SRC_VIEWS_SVG_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// The number of units in one pixel.
inline constexpr int64_t kEighths = 8;
inline constexpr size_t kMaxRectangles = 4000;
inline constexpr size_t kMaxRuns = 8000;
// The number of shades for partly occupied pixels.
inline constexpr size_t kShades = 8;
// The number of lifetime classes. The class of a tensor depends on the share of
// all tasks at which the tensor is live: the first class is for at least half
// of the tasks, the second for at least a quarter, and so on. The last class is
// for all smaller shares.
inline constexpr size_t kLifetimeClasses = 6;

// A rectangle of a picture. y grows downwards, as in SVG.
struct SvgBox {
  int64_t x = 0;
  int64_t y = 0;
  int64_t width = 0;
  int64_t height = 0;
};

// Maps tasks and bytes to positions on the picture.
struct SvgScale {
  SvgBox frame;
  TaskId first_task = 0;
  uint64_t tasks = 1;  // the frame shows this number of tasks
  uint64_t bytes = 1;  // the frame shows this number of bytes

  // Return positions inside the frame. X is rounded towards the first task, and
  // Y towards byte 0.
  int64_t X(TaskId task) const;
  int64_t Y(uint64_t byte) const;
  // Returns the rectangle of a record that is placed at `offset`.
  SvgBox BoxOf(const TensorUsageRecord<size_t>& record, size_t offset) const;
};

// Collects the data of a path that consists of boxes. Each box is a closed part
// of the path.
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
  // The records with a rectangle of their own, in rising order. Each of the
  // rectangles is at least a pixel wide and a pixel high.
  std::vector<size_t> drawn;
  // The pixels that all other records occupy: runs[k] consists of the pixels of
  // which k eighths are occupied.
  SvgPath runs[kShades + 1];
  size_t run_count = 0;
};

// Returns the lifetime class of a tensor: 0 if the tensor is live at half of
// all tasks or more, and a higher class if it is live at fewer tasks.
size_t LifetimeClass(const TensorUsageRecord<size_t>& record, uint64_t tasks);

// Returns the shapes of all records. O(n log n + pixels).
SvgShapes MakeShapes(const PlanView& view, const SvgScale& scale);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_SVG_SHAPES_H_
