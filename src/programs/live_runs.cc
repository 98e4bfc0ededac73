// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/live_runs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/programs/point_blocks.h"
#include "src/programs/slot_uses.h"
#include "stowage/programs/points.h"

namespace stowage {
namespace {

// Computes the runs of one slot after another. The marks of blocks are kept
// between slots instead of being cleared, so the cost of a slot depends only on
// the blocks that it visits.
class LiveRunFinder {
 public:
  explicit LiveRunFinder(const ProgramPoints& points)
      : blocks_(points),
        live_out_(blocks_.size(), 0),
        visited_(blocks_.size(), 0) {}

  std::vector<LiveRun> Find(Span<const SlotUse> uses);

 private:
  // Marks the predecessors of `block`. The slot is live at the end of each
  // predecessor, because it is live at the beginning of `block`.
  void MarkBefore(uint32_t block);
  void AddRuns(uint32_t block, Span<const SlotUse> uses,
               std::vector<LiveRun>* runs) const;

  const PointBlocks blocks_;
  // For each block, the number of the last slot that was live at the end of the
  // block, and the number of the last slot for which the block was added to
  // `found_`.
  std::vector<uint32_t> live_out_;
  std::vector<uint32_t> visited_;
  uint32_t slot_ = 0;  // counts the slots from 1
  std::vector<uint32_t> found_;
  std::vector<uint32_t> open_;
};

void LiveRunFinder::MarkBefore(uint32_t block) {
  for (const uint32_t before : blocks_.before(block)) {
    if (live_out_[before] == slot_) continue;
    live_out_[before] = slot_;
    open_.push_back(before);
    if (visited_[before] == slot_) continue;
    visited_[before] = slot_;
    found_.push_back(before);
  }
}

std::vector<LiveRun> LiveRunFinder::Find(Span<const SlotUse> uses) {
  ++slot_;
  found_.clear();
  // The uses in each block. Uses in the same block are adjacent in `uses`.
  std::vector<std::pair<uint32_t, Span<const SlotUse>>> used;
  for (size_t i = 0; i < uses.size();) {
    const uint32_t block = blocks_.block_of(uses[i].point);
    size_t end = i;
    while (end < uses.size() && blocks_.block_of(uses[end].point) == block) {
      ++end;
    }
    used.emplace_back(block, uses.subspan(i, end - i));
    visited_[block] = slot_;
    found_.push_back(block);
    i = end;
  }
  const auto uses_in = [&](uint32_t block) {
    const auto it = std::lower_bound(
        used.begin(), used.end(), block,
        [](const auto& entry, uint32_t b) { return entry.first < b; });
    return it == used.end() || it->first != block ? Span<const SlotUse>()
                                                  : it->second;
  };
  for (const auto& [block, in_block] : used) {
    if (in_block.front().is_read) MarkBefore(block);
  }
  while (!open_.empty()) {
    const uint32_t block = open_.back();
    open_.pop_back();
    const Span<const SlotUse> in_block = uses_in(block);
    if (in_block.empty()) MarkBefore(block);
  }
  std::sort(found_.begin(), found_.end());
  std::vector<LiveRun> runs;
  for (const uint32_t block : found_) AddRuns(block, uses_in(block), &runs);
  return runs;
}

void LiveRunFinder::AddRuns(uint32_t block, Span<const SlotUse> uses,
                            std::vector<LiveRun>* runs) const {
  std::vector<LiveRun> reversed;
  const bool is_live_out = live_out_[block] == slot_;
  bool is_live = is_live_out;  // liveness after the current point
  uint32_t last = blocks_.last(block);
  for (size_t i = uses.size(); i-- > 0;) {
    if (!is_live) last = uses[i].point;
    is_live = uses[i].is_read || (is_live && !uses[i].is_write);
    if (!is_live) reversed.push_back({uses[i].point, last});
  }
  if (is_live) reversed.push_back({blocks_.first(block), last});
  for (size_t i = reversed.size(); i-- > 0;) {
    if (!runs->empty() && runs->back().last + 1 >= reversed[i].first) {
      runs->back().last = reversed[i].last;
    } else {
      runs->push_back(reversed[i]);
    }
  }
}

}  // namespace

std::vector<std::vector<LiveRun>> LiveRuns(const ProgramPoints& points) {
  const SlotUses uses(points);
  LiveRunFinder finder(points);
  std::vector<std::vector<LiveRun>> runs(points.slot_sizes.size());
  for (SlotId slot = 0; slot < runs.size(); ++slot) {
    runs[slot] = finder.Find(uses.Of(slot));
  }
  return runs;
}

}  // namespace stowage
