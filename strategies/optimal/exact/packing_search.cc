// SPDX-License-Identifier: Apache-2.0
#include "optimal/exact/packing_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "src/base/work_limit.h"

namespace stowage::optimal {

// The result is an upper bound of all levels and sums that a search stores for
// a step, for these reasons:
//
// - Fixed items end within the capacity.
// - As long as no placed item has raised an item, the lowest feasible level of
//   the item is at most the aligned capacity, and its top is at most that level
//   plus its size.
// - Place never raises an item to a level at which it would end above the
//   capacity.
// - RaiseBlocked is called after FitsAbove, so the items that it adds at steps
//   also end within the capacity. Items that it raises higher are compared with
//   the capacity, but not stored for a step.
// - Each sum at a step contains every item that is live there at most once.
Level MaxAtStep(const Packing& packing, Level capacity) {
  const Level end = std::max(capacity, TopOfFixed(packing));
  Level alignment = 0;
  Level size = 0;
  for (const Item& item : packing.items) {
    alignment = std::max(alignment, item.alignment);
    size = std::max(size, item.size);
  }
  return std::max(end + alignment + size, MaximumBreadth(packing));
}

PackingSearch::PackingSearch(const Packing& packing, SearchOrder order,
                             Level capacity)
    : packing_(packing),
      obstacles_(packing),
      capacity_(capacity),
      order_(std::move(order)),
      by_step_(packing.steps, MaxAtStep(packing, capacity)) {
  const size_t count = order_.items.size();
  crossing_.assign(packing.steps, 0);
  for (const uint32_t index : order_.items) {
    const Item& item = packing.items[index];
    items_.push_back(item);
    extents_.push_back(item);
    lowest_.push_back(obstacles_.LowestPlace(item, 0));
    by_step_.AddRemaining(item);
    AddCrossing(item);
    left_ += AreaOf(item);
  }
  LinkEqualItems();
  placed_at_.assign(count, kUnplaced);
  failures_.assign(packing.steps, 0);
  raised_.assign(count, 0);
  begins_.assign(packing.steps + 1, 0);
  ends_.assign(packing.steps + 1, 0);
  load_.assign(count, 0);
  ranks_.resize(count);
  std::iota(ranks_.begin(), ranks_.end(), uint32_t{0});
  lists_ = ranks_;
  std::sort(lists_.begin(), lists_.end(),
            [this](uint32_t a, uint32_t b) { return Before(a, b); });
  Rest all;
  all.last_step = packing.steps;
  all.list_end = count;
  if (order_.by_load) RankByLoad(&all);
  PushFrame(all, kNone, Marks());
}

void PackingSearch::LinkEqualItems() {
  std::vector<uint32_t> sorted(items_.size());
  std::iota(sorted.begin(), sorted.end(), uint32_t{0});
  const auto key = [&](uint32_t k) {
    const Item& item = items_[k];
    return std::make_tuple(item.begin, item.end, item.size, item.alignment);
  };
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    return key(a) != key(b) ? key(a) < key(b) : a < b;
  });
  equal_before_.assign(items_.size(), kNone);
  for (size_t k = 1; k < sorted.size(); ++k) {
    if (key(sorted[k]) == key(sorted[k - 1])) {
      equal_before_[sorted[k]] = sorted[k - 1];
    }
  }
}

PackingSearch::State PackingSearch::Run(uint64_t nodes, WorkLimit* work) {
  const uint64_t stop = nodes_ + nodes;
  while (state_ == State::kOpen && nodes_ < stop) {
    const Frame& top = frames_.back();
    if (!work->Spend(1 + top.rest.count())) break;
    Step();
  }
  return state_;
}

std::vector<uint64_t> PackingSearch::TakeFailures() {
  return std::exchange(failures_,
                       std::vector<uint64_t>(packing_.steps, uint64_t{0}));
}

std::vector<Level> PackingSearch::levels() const {
  std::vector<Level> levels;
  levels.reserve(packing_.items.size());
  for (const Item& item : packing_.items) levels.push_back(item.fixed_level);
  for (size_t k = 0; k < order_.items.size(); ++k) {
    levels[order_.items[k]] = placed_at_[k];
  }
  return levels;
}

void PackingSearch::Step() {
  Frame& top = frames_.back();
  if (!top.entered) {
    top.entered = true;
    ++nodes_;
    if (Enter()) {
      least_left_ = std::min(least_left_, left_);
    } else {
      Fail();
    }
  } else if (top.rest.count() == 0) {
    if (top.rest.pending == kNone) {
      state_ = State::kFits;
    } else {
      PushPart(top.rest.pending);
    }
  } else if (!PlaceNext()) {
    if (observer_ != nullptr) observer_->OnExhausted();
    Fail();
  }
}

PackingSearch::Marks PackingSearch::MarkStacks() const {
  return {old_lowest_.size(), lists_.size(), parts_.size(), old_ranks_.size()};
}

void PackingSearch::PushFrame(const Rest& rest, uint32_t placed,
                              const Marks& marks) {
  Frame frame;
  frame.rest = rest;
  frame.placed = placed;
  frame.marks = marks;
  frame.next = rest.list_begin;
  frames_.push_back(frame);
}

uint32_t PackingSearch::FindLowestTop(const Rest& rest) const {
  uint32_t lowest = lists_[rest.list_begin];
  Level lowest_top = kMaxLevel;
  for (size_t k = rest.list_begin; k < rest.list_end; ++k) {
    const uint32_t i = lists_[k];
    // The list is sorted by level, so no later item has a top below
    // `lowest_top`.
    if (lowest_[i] >= lowest_top) break;
    const Level top = lowest_[i] + extents_[i].size;
    if (top >= lowest_top) continue;
    lowest_top = top;
    lowest = i;
  }
  return lowest;
}

bool PackingSearch::Enter() {
  if (frames_.back().rest.count() == 0) return true;
  if (frames_.size() == 1 && !FitsAligned()) return false;
  if (SplitsUp()) return true;
  Frame& frame = frames_.back();
  const Rest& rest = frame.rest;
  frame.next = rest.list_begin + CountPassed(rest);
  const uint32_t lowest = FindLowestTop(rest);
  if (frame.next == rest.list_end) return ReportStuck(lowest);
  const Level lowest_top = lowest_[lowest] + extents_[lowest].size;
  // If every candidate is at or above the lowest top, the item with this top
  // has been passed, and no candidate can be placed below this item to raise
  // it. The node is therefore given up.
  if (lowest_[lists_[frame.next]] >= lowest_top) return ReportStuck(lowest);
  if (!RaisePassed(frame) || !FitsAbove(frame) || !RaiseBlocked(frame)) {
    return false;
  }
  const Level max = by_step_.MaxRemaining(rest.first_step, rest.last_step);
  frame.limit = std::min(lowest_top, capacity_ - max + 1);
  return true;
}

// Finds the stretches of steps. A stretch is a maximal range of steps in which
// every border between two steps is crossed by an unplaced item.
void PackingSearch::FindStretches(const Rest& rest) {
  std::fill(begins_.begin() + rest.first_step,
            begins_.begin() + rest.last_step + 1, 0);
  std::fill(ends_.begin() + rest.first_step, ends_.begin() + rest.last_step + 1,
            0);
  for (size_t k = rest.list_begin; k < rest.list_end; ++k) {
    ++begins_[extents_[lists_[k]].begin];
    ++ends_[extents_[lists_[k]].end];
  }
  stretches_.clear();
  uint32_t live = 0;
  for (uint32_t s = rest.first_step; s <= rest.last_step; ++s) {
    const bool was_live = live > 0;
    live -= ends_[s];
    if (was_live && live == 0) stretches_.back().second = s;
    if (live == 0 && begins_[s] > 0) stretches_.emplace_back(s, s);
    live += begins_[s];
  }
}

void PackingSearch::AddCrossing(const Extent& item) {
  uint32_t* const crossing = crossing_.data();
  const uint32_t end = item.end;
  for (uint32_t s = item.begin + 1; s < end; ++s) ++crossing[s];
}

void PackingSearch::RemoveCrossing(const Extent& item) {
  uint32_t* const crossing = crossing_.data();
  const uint32_t end = item.end;
  for (uint32_t s = item.begin + 1; s < end; ++s) --crossing[s];
}

bool PackingSearch::FreesBorder(const Extent& item) const {
  bool frees = false;
  for (uint32_t s = item.begin + 1; s < item.end; ++s) {
    frees |= crossing_[s] == 0;
  }
  return frees;
}

// If the items of the node on top form several stretches of steps, makes a part
// of each stretch, pushes the first part, and returns true. Otherwise narrows
// the node to its only stretch.
bool PackingSearch::SplitsUp() {
  Rest& rest = frames_.back().rest;
  const uint32_t placed = frames_.back().placed;
  // The items of a part, or of a node that was narrowed, form one stretch. They
  // can fall apart into several stretches only if the item placed last was the
  // last unplaced item across some border.
  if (placed == kNone ? rest.split != kNone : !FreesBorder(extents_[placed])) {
    return false;
  }
  FindStretches(rest);
  if (stretches_.size() > 1) {
    PushParts();
    return true;
  }
  const auto [first, last] = stretches_.front();
  const bool narrows = rest.first_step < first || last < rest.last_step;
  rest.first_step = first;
  rest.last_step = last;
  if (narrows && order_.by_load) RankByLoad(&rest);
  return false;
}

void PackingSearch::PushParts() {
  const Rest rest = frames_.back().rest;
  const size_t parts_begin = parts_.size();
  for (const auto& [begin, end] : stretches_) {
    Rest part = rest;
    part.first_step = begin;
    part.last_step = end;
    part.split = static_cast<uint32_t>(frames_.size() - 1);
    part.list_begin = lists_.size();
    for (size_t k = rest.list_begin; k < rest.list_end; ++k) {
      const uint32_t i = lists_[k];
      if (begin <= extents_[i].begin && extents_[i].begin < end) {
        lists_.push_back(i);
      }
    }
    part.list_end = lists_.size();
    if (order_.by_load) RankByLoad(&part);
    parts_.push_back(part);
  }
  // Searches the smallest part first, since it is the first to fail.
  std::stable_sort(
      parts_.begin() + static_cast<ptrdiff_t>(parts_begin), parts_.end(),
      [](const Rest& a, const Rest& b) { return a.count() > b.count(); });
  uint32_t pending = rest.pending;
  for (size_t k = parts_begin; k < parts_.size(); ++k) {
    parts_[k].pending = pending;
    pending = static_cast<uint32_t>(k);
  }
  PushPart(pending);
}

void PackingSearch::PushPart(uint32_t part) {
  if (observer_ != nullptr) ReportPart(parts_[part]);
  PushFrame(parts_[part], kNone, MarkStacks());
}

void PackingSearch::RankByLoad(Rest* rest) {
  const auto begin = lists_.begin() + static_cast<ptrdiff_t>(rest->list_begin);
  const auto end = lists_.begin() + static_cast<ptrdiff_t>(rest->list_end);
  for (auto i = begin; i != end; ++i) {
    const Extent& item = extents_[*i];
    load_[*i] = by_step_.MaxRemaining(item.begin, item.end);
  }
  std::sort(begin, end, [this](uint32_t a, uint32_t b) {
    return load_[a] != load_[b] ? load_[a] > load_[b] : a < b;
  });
  uint32_t rank = 0;
  for (auto i = begin; i != end; ++i) {
    old_ranks_.emplace_back(*i, ranks_[*i]);
    ranks_[*i] = rank++;
  }
  std::sort(begin, end,
            [this](uint32_t a, uint32_t b) { return Before(a, b); });
  rest->rank = 0;
}

size_t PackingSearch::CountPassed(const Rest& rest) const {
  size_t passed = 0;
  for (size_t k = rest.list_begin; k < rest.list_end; ++k, ++passed) {
    const uint32_t i = lists_[k];
    if (lowest_[i] > rest.level) break;
    if (lowest_[i] == rest.level && ranks_[i] >= rest.rank) break;
  }
  return passed;
}

bool PackingSearch::IsCandidate(uint32_t number) const {
  // The earlier of two equal items in the order must be placed first. Otherwise
  // the search would visit both orders of the two items.
  const uint32_t equal = equal_before_[number];
  if (equal != kNone && placed_at_[equal] == kUnplaced) return false;
  const Extent& item = extents_[number];
  return by_step_.RemainsAtMost(item, capacity_ - lowest_[number]);
}

bool PackingSearch::PlaceNext() {
  const size_t self = frames_.size() - 1;
  const size_t end = frames_[self].rest.list_end;
  while (frames_[self].next < end) {
    const uint32_t number = lists_[frames_[self].next++];
    if (lowest_[number] >= frames_[self].limit) break;
    // Place adds a frame, which may invalidate references to frames.
    if (!IsCandidate(number) || !Place(number)) continue;
    if (observer_ != nullptr) observer_->OnPlaced(items_[number].record);
    return true;
  }
  frames_[self].next = end;
  return false;
}

// Places an item. If this would raise another item above the capacity, undoes
// all changes and returns false.
bool PackingSearch::Place(uint32_t number) {
  const Extent& item = extents_[number];
  const Rest parent = frames_.back().rest;
  const Marks marks = MarkStacks();
  Rest child = parent;
  child.level = lowest_[number];
  child.rank = ranks_[number] + 1;
  child.split = kNone;
  placed_at_[number] = lowest_[number];
  by_step_.RemoveRemaining(item);
  RemoveCrossing(item);
  left_ -= AreaOf(item);
  const bool possible = ListWithout(parent, number, &child);
  PushFrame(child, number, marks);
  if (!possible) Pop();
  return possible;
}

// Lists the remaining items of the parent in `child`, and raises the lowest
// feasible levels of those that overlap the item just placed. Returns false if
// a remaining item would end above the capacity.
bool PackingSearch::ListWithout(const Rest& parent, uint32_t number,
                                Rest* child) {
  const Level top = lowest_[number] + extents_[number].size;
  bool possible = true;
  lifted_.clear();
  kept_.clear();
  size_t k = parent.list_begin;
  // The list is sorted by lowest feasible level. The first item at or above the
  // top of the placed item, and all items after it, keep their levels, so the
  // loop stops there.
  for (; k < parent.list_end && lowest_[lists_[k]] < top; ++k) {
    const uint32_t i = lists_[k];
    if (i == number) continue;
    if (Overlap(extents_[i], extents_[number])) {
      old_lowest_.emplace_back(i, lowest_[i]);
      lowest_[i] = obstacles_.LowestPlace(items_[i], top);
      lifted_.push_back(i);
      possible = possible && lowest_[i] + extents_[i].size <= capacity_;
    } else {
      kept_.push_back(i);
    }
  }
  kept_.insert(kept_.end(), lists_.begin() + static_cast<ptrdiff_t>(k),
               lists_.begin() + static_cast<ptrdiff_t>(parent.list_end));
  const auto before = [this](uint32_t a, uint32_t b) { return Before(a, b); };
  std::sort(lifted_.begin(), lifted_.end(), before);
  child->list_begin = lists_.size();
  auto kept = kept_.cbegin();
  for (const uint32_t i : lifted_) {
    const auto next = std::lower_bound(kept, kept_.cend(), i, before);
    lists_.insert(lists_.end(), kept, next);
    lists_.push_back(i);
    kept = next;
  }
  lists_.insert(lists_.end(), kept, kept_.cend());
  child->list_end = lists_.size();
  return possible;
}

void PackingSearch::Fail() {
  while (true) {
    const Frame& top = frames_.back();
    if (top.placed != kNone) {
      Pop();  // the parent may have other candidates
      return;
    }
    if (top.rest.split == kNone) {
      state_ = State::kExhausted;
      return;
    }
    // If one part fails, the node that was split fails as well, whatever the
    // results of its other parts are.
    const uint32_t split = top.rest.split;
    while (frames_.size() - 1 > split) Pop();
  }
}

void PackingSearch::Pop() {
  const uint32_t placed = frames_.back().placed;
  const Marks marks = frames_.back().marks;
  frames_.pop_back();
  for (; old_lowest_.size() > marks.lowest_levels; old_lowest_.pop_back()) {
    lowest_[old_lowest_.back().first] = old_lowest_.back().second;
  }
  for (; old_ranks_.size() > marks.ranks; old_ranks_.pop_back()) {
    ranks_[old_ranks_.back().first] = old_ranks_.back().second;
  }
  lists_.resize(marks.lists);
  parts_.resize(marks.parts);
  if (placed == kNone) return;
  placed_at_[placed] = kUnplaced;
  by_step_.AddRemaining(extents_[placed]);
  AddCrossing(extents_[placed]);
  left_ += AreaOf(extents_[placed]);
}

}  // namespace stowage::optimal
