// SPDX-License-Identifier: Apache-2.0
#include "src/proof/search_replay.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/tensor_size.h"

namespace stowage::certificate {
namespace {

Status Wrong(string_view message) { return InvalidArgumentError(message); }

}  // namespace

SearchReplay::SearchReplay(const Problem& problem, Span<const size_t> records,
                           size_t capacity)
    : capacity_(capacity) {
  ReadItems(problem, records);
  FindPoints();
  LinkEqualItems();
  bars_.assign(items_.size(), kNowhere);
  is_placed_.assign(items_.size(), 0);
  is_waiting_.assign(items_.size(), 0);
  bool fits = true;
  for (const FixedItem& fixed : fixed_) fits = fits && fixed.end <= capacity;
  for (size_t i = 0; i < items_.size(); ++i) {
    lowest_.push_back(0);
    if (!items_[i].is_movable) continue;
    lowest_[i] = LowestPlace(i, 0);
    fits = fits && lowest_[i] != kNowhere;
    members_.push_back(i);
  }
  if (!fits) return;
  Frame root;
  root.members_end = members_.size();
  frames_.push_back(root);
}

void SearchReplay::ReadItems(const Problem& problem,
                             Span<const size_t> records) {
  for (const size_t index : records) {
    const ByteRecord& record = problem.records()[index];
    Item item;
    item.first_task = record.first_task;
    item.last_task = record.last_task;
    item.size = record.tensor_size;
    item.alignment = problem.alignments().Of(index);
    const optional<size_t> offset = problem.fixed_offset(index);
    item.is_movable = item.size > 0 && !offset;
    if (item.size > 0 && offset) {
      fixed_.push_back({*offset, *offset + item.size, items_.size()});
    }
    items_.push_back(item);
    if (item.size == 0) continue;
    divisor_ = std::gcd(divisor_, item.size);
    if (item.alignment > 1) divisor_ = std::gcd(divisor_, item.alignment);
    divisor_ = std::gcd(divisor_, offset.value_or(0));
  }
  divisor_ = std::max<size_t>(divisor_, 1);
  // Every offset is a multiple of the divisor, and therefore of the largest
  // power of two that divides the divisor. An item that is aligned to 1 byte is
  // therefore always aligned to this power of two as well, and may be treated
  // as equal to an item with this alignment.
  const size_t least = divisor_ & (~divisor_ + 1);
  for (Item& item : items_) item.alignment = std::max(item.alignment, least);
  std::sort(fixed_.begin(), fixed_.end(),
            [](const FixedItem& a, const FixedItem& b) {
              return std::tie(a.begin, a.item) < std::tie(b.begin, b.item);
            });
}

// Chooses tasks, called points, so that any two conflicting records are both
// live at some point. Two conflicting records are both live at the last task of
// one of them, so the last tasks of all records would suffice. If no record
// begins between two last tasks, all records that are live at the later task
// are also live at the earlier task, so the later task is not needed. Therefore
// a last task is a point only if the event immediately before it is the
// beginning of a record.
void SearchReplay::FindPoints() {
  // First and last tasks. The second member is true for a last task.
  std::vector<std::pair<size_t, bool>> ends;
  for (const Item& item : items_) {
    ends.emplace_back(item.first_task, false);
    ends.emplace_back(item.last_task, true);
  }
  std::sort(ends.begin(), ends.end());
  for (const auto& [task, is_last] : ends) {
    if (!is_last || task < kNowhere) tasks_.push_back(task + (is_last ? 1 : 0));
  }
  std::sort(tasks_.begin(), tasks_.end());
  tasks_.erase(std::unique(tasks_.begin(), tasks_.end()), tasks_.end());
  for (size_t k = 1; k < ends.size(); ++k) {
    if (ends[k].second && !ends[k - 1].second) points_.push_back(ends[k].first);
  }
  for (Item& item : items_) {
    const auto begin =
        std::lower_bound(points_.begin(), points_.end(), item.first_task);
    const auto end = std::upper_bound(begin, points_.end(), item.last_task);
    item.begin = static_cast<size_t>(begin - points_.begin());
    item.end = static_cast<size_t>(end - points_.begin());
  }
}

// Links items that are equal. Equal items conflict with the same items, so they
// are interchangeable.
void SearchReplay::LinkEqualItems() {
  std::vector<size_t> sorted(items_.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  const auto key = [&](size_t i) {
    const Item& item = items_[i];
    return std::make_tuple(item.is_movable, item.begin, item.end, item.size,
                           item.alignment);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](size_t a, size_t b) { return key(a) < key(b); });
  for (size_t k = 1; k < sorted.size(); ++k) {
    if (key(sorted[k]) != key(sorted[k - 1])) continue;
    items_[sorted[k]].equal_before = sorted[k - 1];
  }
}

// Returns the lowest offset at or above `offset` at which the item avoids the
// fixed records, or kNowhere if the item would then end above the capacity.
size_t SearchReplay::LowestPlace(size_t item, size_t offset) const {
  const Item& moved = items_[item];
  if (moved.size > capacity_) return kNowhere;
  optional<size_t> place = CheckedAlignUp(offset, moved.alignment);
  for (const FixedItem& fixed : fixed_) {
    if (!place || *place > capacity_ - moved.size) return kNowhere;
    if (fixed.begin >= *place + moved.size) break;
    if (fixed.end > *place && Conflict(item, fixed.item)) {
      place = CheckedAlignUp(fixed.end, moved.alignment);
    }
  }
  if (!place || *place > capacity_ - moved.size) return kNowhere;
  return *place;
}

bool SearchReplay::IsPassed(const Frame& frame, size_t item) const {
  const size_t floor = lowest_[item];
  return floor < frame.level ||
         (bars_[item] != kNowhere && floor <= bars_[item]);
}

std::vector<size_t> SearchReplay::LeftAt(const Frame& frame) const {
  std::vector<size_t> left;
  for (size_t k = frame.members_begin; k < frame.members_end; ++k) {
    if (IsLeft(members_[k])) left.push_back(members_[k]);
  }
  return left;
}

// Returns an error unless the record remains to be placed at the open node.
Status SearchReplay::CheckLeft(size_t record) const {
  if (IsProved()) return Wrong("the proof is complete; expected its end");
  const std::vector<size_t> left = LeftAt(frames_.back());
  if (std::binary_search(left.begin(), left.end(), record)) {
    return OkStatus();
  }
  return Wrong(StrCat("tensor ", record, " is not left to be placed"));
}

Status SearchReplay::CheckFresh() const {
  if (IsProved()) return Wrong("the proof is complete; expected its end");
  if (!frames_.back().is_branch) return OkStatus();
  return Wrong("tensors were placed here; expected another, or u");
}

// Returns the largest load of any point: the sum of the sizes of the remaining
// items that are live at the point.
size_t SearchReplay::LargestLoad(const std::vector<size_t>& left) const {
  std::vector<size_t> change(points_.size() + 1, 0);
  for (const size_t i : left) {
    change[items_[i].begin] += items_[i].size;
    change[items_[i].end] -= items_[i].size;
  }
  // The changes may wrap around, but the sums do not overflow, as
  // Problem::Create has checked.
  std::partial_sum(change.begin(), change.end(), change.begin());
  return *std::max_element(change.begin(), change.end());
}

// Returns whether an equal item that is listed before this item has not been
// placed, and therefore must be placed first. Checks all such items, because
// the nearest one may have been placed before the others.
bool SearchReplay::FollowsEqual(size_t item) const {
  size_t equal = items_[item].equal_before;
  while (equal != kNowhere && !IsLeft(equal)) {
    equal = items_[equal].equal_before;
  }
  return equal != kNowhere;
}

// Returns whether placing this item at its lowest feasible offset would leave
// no room above it for some other remaining item.
bool SearchReplay::Blocks(size_t item, const std::vector<size_t>& left) const {
  const size_t top = lowest_[item] + items_[item].size;
  return std::any_of(left.begin(), left.end(), [&](size_t other) {
    return other != item && lowest_[other] < top && Conflict(item, other) &&
           LowestPlace(other, top) == kNowhere;
  });
}

// Finds the items that could come next at the open node. All items that remain
// after the next item are at or above the offset of the next item. The
// conditions below rely on this fact.
void SearchReplay::FindCandidates() {
  Frame& frame = frames_.back();
  frame.is_branch = true;
  frame.candidates_begin = candidates_.size();
  const std::vector<size_t> left = LeftAt(frame);
  size_t lowest_top = kNowhere;
  for (const size_t i : left) {
    lowest_top = std::min(lowest_top, lowest_[i] + items_[i].size);
  }
  const size_t load = LargestLoad(left);
  for (const size_t i : left) {
    if (IsPassed(frame, i) || lowest_[i] >= lowest_top ||
        load > capacity_ - lowest_[i] || FollowsEqual(i) || Blocks(i, left)) {
      continue;
    }
    candidates_.push_back(i);
  }
}

// Bars the remaining items that have the same lowest feasible offset as the
// item just placed, except for the candidates that are still to be tried at the
// parent. A barred item must be above this offset.
void SearchReplay::BarEarlier(const Frame& frame, size_t record) {
  const size_t level = lowest_[record];
  for (size_t k = frame.candidates_begin; k < candidates_.size(); ++k) {
    is_waiting_[candidates_[k]] = 1;
  }
  for (const size_t i : LeftAt(frame)) {
    if (i == record || lowest_[i] != level || is_waiting_[i] != 0) continue;
    old_bars_.emplace_back(i, bars_[i]);
    bars_[i] = level;
  }
  for (size_t k = frame.candidates_begin; k < candidates_.size(); ++k) {
    is_waiting_[candidates_[k]] = 0;
  }
}

void SearchReplay::PushChild(size_t record) {
  const Frame parent = frames_.back();
  Frame child = parent;
  child.placed = record;
  child.is_part = false;
  child.is_branch = false;
  child.level = std::max(parent.level, lowest_[record]);
  child.floors = old_lowest_.size();
  child.bars = old_bars_.size();
  BarEarlier(parent, record);
  is_placed_[record] = 1;
  const size_t top = lowest_[record] + items_[record].size;
  for (const size_t i : LeftAt(parent)) {
    if (lowest_[i] >= top || !Conflict(i, record)) continue;
    old_lowest_.emplace_back(i, lowest_[i]);
    lowest_[i] = LowestPlace(i, top);
  }
  frames_.push_back(child);
}

Status SearchReplay::Place(size_t record) {
  if (Status s = CheckLeft(record); !s.ok()) return s;
  if (Blocks(record, LeftAt(frames_.back()))) {
    return Wrong(StrCat("tensor ", record,
                        " leaves no room for another; expected one that "
                        "could come next"));
  }
  if (!frames_.back().is_branch) FindCandidates();
  const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(
                                               frames_.back().candidates_begin);
  candidates_.erase(std::remove(begin, candidates_.end(), record),
                    candidates_.end());
  PushChild(record);
  return OkStatus();
}

Status SearchReplay::Part(size_t record) {
  if (Status s = CheckFresh(); !s.ok()) return s;
  if (Status s = CheckLeft(record); !s.ok()) return s;
  const Frame parent = frames_.back();
  const std::vector<size_t> left = LeftAt(parent);
  // `crossing[p]` is the number of items that are live both at point p and at
  // the point before p.
  std::vector<size_t> crossing(points_.size() + 1, 0);
  for (const size_t i : left) {
    ++crossing[items_[i].begin + 1];
    --crossing[items_[i].end];
  }
  std::partial_sum(crossing.begin(), crossing.end(), crossing.begin());
  size_t begin = items_[record].begin;
  size_t end = items_[record].end;
  while (begin > 0 && crossing[begin] > 0) --begin;
  while (end < points_.size() && crossing[end] > 0) ++end;
  Frame part = parent;
  part.placed = kNowhere;
  part.is_part = true;
  part.members_begin = members_.size();
  part.floors = old_lowest_.size();
  part.bars = old_bars_.size();
  for (const size_t i : left) {
    if (begin <= items_[i].begin && items_[i].begin < end) {
      members_.push_back(i);
    }
  }
  part.members_end = members_.size();
  frames_.push_back(part);
  if (part.members_end - part.members_begin < left.size()) {
    return OkStatus();
  }
  // A part that contains all remaining records is rejected, because parts could
  // otherwise be nested indefinitely.
  Pop();
  return Wrong("what is left does not fall into parts");
}

Status SearchReplay::Full(size_t task, size_t level) {
  if (Status s = CheckFresh(); !s.ok()) return s;
  // In most cases, the lowest feasible offsets alone already show that the task
  // is full.
  bool is_full = Overflows(task, level, lowest_);
  if (!is_full) {
    std::vector<size_t> lowest = LowestOffsets(frames_.back());
    is_full = Overflows(task, level, lowest) ||
              Overflows(task, level, RaiseBlocked(std::move(lowest)));
  }
  if (!is_full) {
    return Wrong(StrCat("what cannot lie below byte ", level,
                        " fits above it at task ", task));
  }
  Refute();
  return OkStatus();
}

Status SearchReplay::Stuck(size_t record) {
  if (Status s = CheckFresh(); !s.ok()) return s;
  if (Status s = CheckLeft(record); !s.ok()) return s;
  if (LowestOffsets(frames_.back())[record] != kNowhere) {
    return Wrong(
        StrCat("tensor ", record, " may come next, or be lifted by another"));
  }
  Refute();
  return OkStatus();
}

Status SearchReplay::Close() {
  if (IsProved()) return Wrong("the proof is complete; expected its end");
  if (LeftAt(frames_.back()).empty()) {
    return Wrong("all tensors are placed, and fit");
  }
  if (!frames_.back().is_branch) FindCandidates();
  if (candidates_.size() > frames_.back().candidates_begin) {
    return Wrong(StrCat("tensor ", candidates_.back(),
                        " could come next and was not tried"));
  }
  Refute();
  return OkStatus();
}

Status SearchReplay::Abandon() {
  const bool has_part =
      std::any_of(frames_.begin(), frames_.end(),
                  [](const Frame& frame) { return frame.is_part; });
  if (!has_part) return Wrong("no part is open");
  while (!frames_.back().is_part) Pop();
  Pop();
  return OkStatus();
}

// Refutes the open node. If the node is a part, also refutes the node from
// which the part was split.
void SearchReplay::Refute() {
  while (!frames_.empty()) {
    const bool is_part = frames_.back().is_part;
    Pop();
    if (!is_part) return;
  }
}

void SearchReplay::Pop() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  for (; old_lowest_.size() > frame.floors; old_lowest_.pop_back()) {
    lowest_[old_lowest_.back().first] = old_lowest_.back().second;
  }
  for (; old_bars_.size() > frame.bars; old_bars_.pop_back()) {
    bars_[old_bars_.back().first] = old_bars_.back().second;
  }
  if (frame.placed != kNowhere) is_placed_[frame.placed] = 0;
  if (frame.is_branch) candidates_.resize(frame.candidates_begin);
  if (frame.is_part) members_.resize(frame.members_begin);
}

}  // namespace stowage::certificate
