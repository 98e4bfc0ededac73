// SPDX-License-Identifier: Apache-2.0
#include "src/views/svg_shapes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/views/raster.h"
#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

// A rectangle of cells of one shade. Rows are counted from the bottom.
struct Run {
  size_t first_column;
  size_t end_column;
  size_t first_row;
  size_t end_row;
  uint32_t shade;
};

int64_t Scaled(uint64_t value, int64_t size, uint64_t whole) {
  const absl::uint128 product =
      absl::uint128(value) * static_cast<uint64_t>(size);
  return static_cast<int64_t>(static_cast<uint64_t>(product / whole));
}

// Returns the runs of one row, from left to right.
std::vector<Run> RowRuns(const Raster& raster, size_t columns, size_t row) {
  std::vector<Run> runs;
  for (size_t c = 0; c < columns; ++c) {
    const uint32_t shade = raster.Share(c, row, kShades);
    if (shade == 0) continue;
    const bool goes_on = !runs.empty() && runs.back().end_column == c &&
                         runs.back().shade == shade;
    if (goes_on) {
      ++runs.back().end_column;
    } else {
      runs.push_back({c, c + 1, row, row + 1, shade});
    }
  }
  return runs;
}

// Returns the runs of all rows. Merges runs of adjacent rows if they have the
// same columns and the same shade.
std::vector<Run> RunsOf(const Raster& raster, size_t columns, size_t rows) {
  std::vector<Run> finished;
  // The runs that extend up to the previous row, from left to right.
  std::vector<Run> open;
  for (size_t row = 0; row < rows; ++row) {
    std::vector<Run> next = RowRuns(raster, columns, row);
    size_t k = 0;
    for (Run& run : next) {
      while (k < open.size() && open[k].first_column < run.first_column) {
        finished.push_back(open[k++]);
      }
      const bool goes_on = k < open.size() && open[k].shade == run.shade &&
                           open[k].first_column == run.first_column &&
                           open[k].end_column == run.end_column;
      if (goes_on) run.first_row = open[k++].first_row;
    }
    finished.insert(finished.end(), open.begin() + static_cast<int64_t>(k),
                    open.end());
    open = std::move(next);
  }
  finished.insert(finished.end(), open.begin(), open.end());
  return finished;
}

// Returns the records that are large enough for a rectangle, or the largest
// kMaxRectangles of them if there are more.
std::vector<size_t> DrawnRecords(const PlanView& view, const SvgScale& scale) {
  std::vector<std::pair<int64_t, size_t>> by_area;
  for (size_t i = 0; i < view.offsets.size(); ++i) {
    const SvgBox box = scale.BoxOf(view.problem.records[i], view.offsets[i]);
    if (box.width < kEighths || box.height < kEighths) continue;
    by_area.emplace_back(-box.width * box.height, i);
  }
  if (by_area.size() > kMaxRectangles) {
    const auto end = by_area.begin() + kMaxRectangles;
    std::nth_element(by_area.begin(), end, by_area.end());
    by_area.erase(end, by_area.end());
  }
  std::vector<size_t> drawn;
  drawn.reserve(by_area.size());
  for (const auto& [area, record] : by_area) drawn.push_back(record);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

// Returns the runs of all records without a rectangle of their own, on a grid
// of `columns` times `rows` cells.
std::vector<Run> MergedRuns(const PlanView& view, const SvgScale& scale,
                            const std::vector<size_t>& drawn, size_t columns,
                            size_t rows) {
  Raster raster(
      columns, rows,
      {scale.first_task, scale.first_task + scale.tasks, 0, scale.bytes},
      view.offsets.size());
  size_t next = 0;
  for (size_t i = 0; i < view.offsets.size(); ++i) {
    if (next < drawn.size() && drawn[next] == i) {
      ++next;
      continue;
    }
    const TensorUsageRecord<size_t>& record = view.problem.records[i];
    raster.Add({record.first_task, record.last_task + 1, view.offsets[i],
                view.offsets[i] + record.tensor_size});
  }
  raster.Sum();
  return RunsOf(raster, columns, rows);
}

}  // namespace

int64_t SvgScale::X(TaskId task) const {
  const uint64_t since =
      std::min<uint64_t>(task > first_task ? task - first_task : 0, tasks);
  return frame.x + Scaled(since, frame.width, tasks);
}

int64_t SvgScale::Y(uint64_t byte) const {
  return frame.y + frame.height -
         Scaled(std::min(byte, bytes), frame.height, bytes);
}

SvgBox SvgScale::BoxOf(const TensorUsageRecord<size_t>& record,
                       size_t offset) const {
  SvgBox box;
  box.x = X(record.first_task);
  box.width = X(record.last_task + 1) - box.x;
  box.y = Y(offset + record.tensor_size);
  box.height = Y(offset) - box.y;
  return box;
}

void SvgPath::Add(const SvgBox& box) {
  // Coordinates are relative to the start of the previous box, because closing
  // a part of a path returns to the start of that part.
  const int64_t x = box.x - x_;
  const int64_t y = box.y - y_;
  absl::StrAppend(&data_, data_.empty() ? "M" : "m", x, y < 0 ? "" : " ", y,
                  "h", box.width, "v", box.height, "h", -box.width, "z");
  x_ = box.x;
  y_ = box.y;
}

size_t LifetimeClass(const TensorUsageRecord<size_t>& record, uint64_t tasks) {
  const uint64_t life = record.last_task - record.first_task + 1;
  size_t lifetime_class = 0;
  absl::uint128 scaled = absl::uint128(life) * 2;
  for (; lifetime_class + 1 < kLifetimeClasses && scaled < tasks; scaled *= 2) {
    ++lifetime_class;
  }
  return lifetime_class;
}

SvgShapes MakeShapes(const PlanView& view, const SvgScale& scale) {
  SvgShapes shapes;
  shapes.drawn = DrawnRecords(view, scale);
  if (shapes.drawn.size() == view.offsets.size()) return shapes;
  std::vector<Run> runs;
  size_t columns = 0;
  size_t rows = 0;
  // Doubles the size of the cells until there are few enough runs. The loop
  // terminates, because a single cell is a single run.
  for (int64_t cell = kEighths;; cell *= 2) {
    columns =
        static_cast<size_t>(std::max<int64_t>(1, scale.frame.width / cell));
    rows = static_cast<size_t>(std::max<int64_t>(1, scale.frame.height / cell));
    runs = MergedRuns(view, scale, shapes.drawn, columns, rows);
    if (runs.size() <= kMaxRuns) break;
  }
  const auto x = [&](size_t c) {
    return scale.frame.x + Scaled(c, scale.frame.width, columns);
  };
  const auto y = [&](size_t r) {
    return scale.frame.y + scale.frame.height -
           Scaled(r, scale.frame.height, rows);
  };
  for (const Run& run : runs) {
    SvgBox box;
    box.x = x(run.first_column);
    box.width = x(run.end_column) - box.x;
    box.y = y(run.end_row);
    box.height = y(run.first_row) - box.y;
    shapes.runs[run.shade].Add(box);
  }
  shapes.run_count = runs.size();
  return shapes;
}

}  // namespace stowage::views
