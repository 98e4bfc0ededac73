// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/hole_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stowage::rigid {
namespace {

constexpr size_t kGapsInBlock = 64;

}  // namespace

void ByteRanges::Add(int64_t begin, int64_t end) {
  if (!ranges_.empty() && begin <= ranges_.back().end) {
    ranges_.back().end = std::max(ranges_.back().end, end);
    return;
  }
  ranges_.push_back({begin, end, 0});
}

void ByteRanges::Finish() {
  ranges_.shrink_to_fit();
  int64_t in_ranges = 0;
  for (Range& range : ranges_) {
    range.free = range.begin - in_ranges;
    in_ranges += range.end - range.begin;
  }
  if (ranges_.size() <= kGapsInBlock) return;
  largest_gaps_.resize((ranges_.size() - 1) / kGapsInBlock + 1);
  for (size_t k = 1; k < ranges_.size(); ++k) {
    int64_t& largest = largest_gaps_[k / kGapsInBlock];
    largest = std::max(largest, GapBelow(k));
  }
}

int64_t ByteRanges::LowestFree(int64_t level, int64_t size) const {
  const auto above =
      std::partition_point(ranges_.begin(), ranges_.end(),
                           [&](const Range& r) { return r.end <= level; });
  if (above == ranges_.end() || above->begin >= level + size) return level;
  auto k = static_cast<size_t>(above - ranges_.begin()) + 1;
  while (k < ranges_.size()) {
    // Skips a block in which no gap is large enough.
    if (k % kGapsInBlock == 0 && !largest_gaps_.empty() &&
        largest_gaps_[k / kGapsInBlock] < size) {
      k += kGapsInBlock;
      continue;
    }
    if (GapBelow(k) >= size) return ranges_[k - 1].end;
    ++k;
  }
  return ranges_.back().end;
}

int64_t ByteRanges::BytesBelow(int64_t level) const {
  const auto above =
      std::partition_point(ranges_.begin(), ranges_.end(),
                           [&](const Range& r) { return r.begin < level; });
  if (above == ranges_.begin()) return 0;
  const Range& below = *(above - 1);
  return below.begin - below.free + std::min(level, below.end) - below.begin;
}

int64_t ByteRanges::TopAround(int64_t bytes) const {
  const auto above =
      std::partition_point(ranges_.begin(), ranges_.end(),
                           [&](const Range& r) { return r.free < bytes; });
  if (above == ranges_.begin()) return bytes;
  const Range& below = *(above - 1);
  return below.end + bytes - below.free;
}

void ByteRanges::AppendTo(std::vector<std::pair<int64_t, int64_t>>* all) const {
  for (const Range& range : ranges_) all->emplace_back(range.begin, range.end);
}

HoleIndex::HoleIndex(Span<const Hole> holes, TaskId first, TaskId last,
                     bool are_forever) {
  std::vector<Hole> sorted;
  firsts_.push_back(first);
  for (Hole hole : holes) {
    if (are_forever) {
      hole.first_task = first;
      hole.last_task = last;
    }
    hole.first_task = std::max(hole.first_task, first);
    hole.last_task = std::min(hole.last_task, last);
    if (hole.first_task > hole.last_task) continue;
    firsts_.push_back(hole.first_task);
    if (hole.last_task < last) firsts_.push_back(hole.last_task + 1);
    sorted.push_back(hole);
    highest_ = std::max(highest_, static_cast<int64_t>(hole.end));
  }
  if (sorted.empty()) return;
  std::sort(firsts_.begin(), firsts_.end());
  firsts_.erase(std::unique(firsts_.begin(), firsts_.end()), firsts_.end());
  for (leaves_ = 1; leaves_ < firsts_.size();) leaves_ *= 2;
  nodes_.resize(2 * leaves_);
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const Hole& a, const Hole& b) { return a.begin < b.begin; });
  for (const Hole& hole : sorted) {
    Insert(hole, StepsOf(hole.first_task, hole.last_task), 1, {0, leaves_ - 1});
  }
  for (Node& node : nodes_) {
    node.covering.Finish();
    node.touching.Finish();
    filled_.push_back((node.covering.size() > 0 ? kCovering : 0) |
                      (node.touching.size() > 0 ? kTouching : 0));
  }
}

// Returns the steps of the tasks from `first` to `last`. The last step also
// includes all unused leaves after it, so that the root covers all tasks.
HoleIndex::Steps HoleIndex::StepsOf(TaskId first, TaskId last) const {
  const auto step_of = [&](TaskId task) {
    const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), task);
    return static_cast<size_t>(
               std::max(after - firsts_.begin(), std::ptrdiff_t{1})) -
           1;
  };
  const Steps steps = {step_of(first), step_of(last)};
  return steps.last + 1 == firsts_.size() ? Steps{steps.first, leaves_ - 1}
                                          : steps;
}

void HoleIndex::Insert(const Hole& hole, Steps steps, size_t node,
                       Steps of_node) {
  if (steps.first > of_node.last || steps.last < of_node.first) return;
  const auto begin = static_cast<int64_t>(hole.begin);
  const auto end = static_cast<int64_t>(hole.end);
  nodes_[node].touching.Add(begin, end);
  if (steps.first <= of_node.first && of_node.last <= steps.last) {
    nodes_[node].covering.Add(begin, end);
    return;
  }
  const size_t middle = (of_node.first + of_node.last) / 2;
  Insert(hole, steps, 2 * node, {of_node.first, middle});
  Insert(hole, steps, 2 * node + 1, {middle + 1, of_node.last});
}

// Collects the lists of all holes that apply at one of the steps.
void HoleIndex::Collect(Steps steps, Lists* lists) const {
  size_t low = leaves_ + steps.first;
  size_t high = leaves_ + steps.last;
  // Visits the ancestors of the given steps that also cover other steps, from
  // the lowest ancestor up.
  for (size_t height = 0, a = low, b = high; a > 0; ++height) {
    if (a << height < low || ((a + 1) << height) - 1 > high) {
      AddCovering(a, lists);
    }
    if (a != b && ((b + 1) << height) - 1 > high) AddCovering(b, lists);
    a /= 2;
    b /= 2;
  }
  for (++high; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) AddTouching(low++, lists);
    if (high % 2 == 1) AddTouching(--high, lists);
  }
}

void HoleIndex::CollectAt(TaskId task, Lists* lists) const {
  size_t node = leaves_ + StepsOf(task, task).first;
  for (; node > 0; node /= 2) AddCovering(node, lists);
}

int64_t HoleIndex::LowestFree(int64_t level, int64_t size, TaskId first,
                              TaskId last) const {
  if (level >= highest_) return level;
  Lists lists;
  Collect(StepsOf(first, last), &lists);
  int64_t start = level;
  size_t free_in = 0;  // lists in a row that have nothing at `start`
  for (size_t k = 0; free_in < lists.count; k = (k + 1) % lists.count) {
    const int64_t free = lists.lists[k]->LowestFree(start, size);
    free_in = free == start ? free_in + 1 : 1;
    start = free;
  }
  return start;
}

int64_t HoleIndex::TopAround(TaskId task, int64_t bytes) const {
  if (empty() || bytes == 0) return bytes;
  Lists lists;
  CollectAt(task, &lists);
  if (lists.count == 0) return bytes;
  if (lists.count == 1) return lists.lists[0]->TopAround(bytes);
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const ByteRanges* list : lists.all()) list->AppendTo(&ranges);
  std::sort(ranges.begin(), ranges.end());
  ByteRanges together;
  for (const auto& [begin, end] : ranges) together.Add(begin, end);
  together.Finish();
  return together.TopAround(bytes);
}

bool HoleIndex::MayEndAbove(int64_t level, TaskId task, int64_t bytes) const {
  if (empty() || bytes == 0) return bytes > level;
  Lists lists;
  CollectAt(task, &lists);
  // Bytes that are in several lists are subtracted several times here, so the
  // result may be true although it should be false.
  int64_t free = level;
  for (const ByteRanges* list : lists.all()) free -= list->BytesBelow(level);
  return free < bytes;
}

size_t HoleIndex::RangesAt(TaskId task) const {
  if (empty()) return 0;
  Lists lists;
  CollectAt(task, &lists);
  if (lists.count <= 1) return lists.count;
  size_t ranges = 0;
  for (const ByteRanges* list : lists.all()) ranges += list->size();
  return ranges;
}

}  // namespace stowage::rigid
