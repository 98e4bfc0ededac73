#include "optimal/packing_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "optimal/packing.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

PackingSearch::PackingSearch(const Packing& packing,
                             std::vector<uint32_t> order, Level capacity)
    : capacity_(capacity), order_(std::move(order)) {
  const size_t count = order_.size();
  remaining_.assign(packing.steps, 0);
  for (const uint32_t index : order_) {
    const Item& item = packing.items[index];
    items_.push_back({item.begin, item.end, item.size, item.alignment, kNone});
    floors_.push_back(0);
    for (uint32_t s = item.begin; s < item.end; ++s) remaining_[s] += item.size;
  }
  std::vector<uint32_t> alike(count);
  std::iota(alike.begin(), alike.end(), uint32_t{0});
  const auto key = [&](uint32_t k) {
    const Local& item = items_[k];
    return std::make_tuple(item.begin, item.end, item.size, item.alignment);
  };
  std::sort(alike.begin(), alike.end(), [&](uint32_t a, uint32_t b) {
    return key(a) != key(b) ? key(a) < key(b) : a < b;
  });
  for (size_t k = 1; k < count; ++k) {
    if (key(alike[k]) == key(alike[k - 1])) {
      items_[alike[k]].twin = alike[k - 1];
    }
  }
  placed_at_.assign(count, kUnplaced);
  raised_.assign(count, 0);
  for (auto* scratch : {&lowest_floor_, &lowest_top_, &above_}) {
    scratch->assign(packing.steps, 0);
  }
  begins_.assign(packing.steps + 1, 0);
  ends_.assign(packing.steps + 1, 0);
  lists_.resize(count);
  std::iota(lists_.begin(), lists_.end(), uint32_t{0});
  std::sort(lists_.begin(), lists_.end(),
            [this](uint32_t a, uint32_t b) { return Before(a, b); });
  frames_.push_back({0, packing.steps, 0, count, 0, 0, /*level=*/-1, 0, kNone,
                     kNone, kNone, 0, 0, 0, /*entered=*/false});
}

PackingSearch::State PackingSearch::Run(uint64_t nodes, WorkLimit* work) {
  const uint64_t stop = nodes_ + nodes;
  while (state_ == State::kOpen && nodes_ < stop) {
    const Frame& top = frames_.back();
    if (!work->Spend(1 + top.list_end - top.list_begin)) break;
    Step();
  }
  return state_;
}

std::vector<Level> PackingSearch::levels() const {
  std::vector<Level> levels(order_.size());
  for (size_t k = 0; k < order_.size(); ++k) levels[order_[k]] = placed_at_[k];
  return levels;
}

void PackingSearch::Step() {
  Frame& top = frames_.back();
  if (!top.entered) {
    top.entered = true;
    ++nodes_;
    if (!Enter()) Fail();
  } else if (top.list_begin == top.list_end) {
    if (top.pending == kNone) {
      state_ = State::kFits;
    } else {
      PushPart(top.pending);
    }
  } else if (!PlaceNext()) {
    Fail();
  }
}

bool PackingSearch::Enter() {
  if (frames_.back().list_begin == frames_.back().list_end) return true;
  if (SplitsUp()) return true;
  Frame& frame = frames_.back();
  const size_t passed = CountPassed(frame);
  frame.next = frame.list_begin + passed;
  if (frame.next == frame.list_end) return false;
  Level lowest_top = kMaxLevel;
  for (size_t k = frame.list_begin; k < frame.list_end; ++k) {
    const uint32_t i = lists_[k];
    lowest_top = std::min(lowest_top, floors_[i] + items_[i].size);
  }
  // What begins higher would leave the item with the lowest top where it is.
  if (floors_[lists_[frame.next]] >= lowest_top) return false;
  if (!RaisePassed(frame, passed) || !FitsAbove(frame, passed)) return false;
  const Level most = *std::max_element(remaining_.begin() + frame.first_step,
                                       remaining_.begin() + frame.last_step);
  frame.limit = std::min(lowest_top, capacity_ - most + 1);
  return true;
}

// Finds the stretches of steps that unplaced items connect. With one the frame
// is narrowed to it; with more each becomes a part.
bool PackingSearch::SplitsUp() {
  Frame& frame = frames_.back();
  const uint32_t first = frame.first_step;
  std::fill(begins_.begin() + first, begins_.begin() + frame.last_step + 1, 0);
  std::fill(ends_.begin() + first, ends_.begin() + frame.last_step + 1, 0);
  for (size_t k = frame.list_begin; k < frame.list_end; ++k) {
    ++begins_[items_[lists_[k]].begin];
    ++ends_[items_[lists_[k]].end];
  }
  stretches_.clear();
  uint32_t alive = 0;
  for (uint32_t s = first; s <= frame.last_step; ++s) {
    const bool was_alive = alive > 0;
    alive -= ends_[s];
    if (was_alive && alive == 0) stretches_.back().second = s;
    if (alive == 0 && begins_[s] > 0) stretches_.emplace_back(s, s);
    alive += begins_[s];
  }
  if (stretches_.size() == 1) {
    std::tie(frame.first_step, frame.last_step) = stretches_.front();
    return false;
  }
  // The smallest part comes first: it is the quickest to fail.
  const auto self = static_cast<uint32_t>(frames_.size() - 1);
  const size_t parts_begin = parts_.size();
  for (const auto& [begin, end] : stretches_) {
    const size_t list = lists_.size();
    for (size_t k = frame.list_begin; k < frame.list_end; ++k) {
      const uint32_t i = lists_[k];
      if (begin <= items_[i].begin && items_[i].begin < end) {
        lists_.push_back(i);
      }
    }
    parts_.push_back({begin, end, list, lists_.size(), self, kNone, frame.level,
                      frame.number});
  }
  std::stable_sort(parts_.begin() + static_cast<ptrdiff_t>(parts_begin),
                   parts_.end(), [](const Part& a, const Part& b) {
                     return a.list_end - a.list_begin >
                            b.list_end - b.list_begin;
                   });
  uint32_t pending = frame.pending;
  for (size_t k = parts_begin; k < parts_.size(); ++k) {
    parts_[k].next = pending;
    pending = static_cast<uint32_t>(k);
  }
  PushPart(pending);
  return true;
}

void PackingSearch::PushPart(uint32_t part) {
  const Part& p = parts_[part];
  frames_.push_back({p.first_step, p.last_step, p.list_begin, p.list_end,
                     p.list_begin, 0, p.level, p.number, kNone, p.split, p.next,
                     old_floors_.size(), lists_.size(), parts_.size(),
                     /*entered=*/false});
}

size_t PackingSearch::CountPassed(const Frame& frame) const {
  size_t passed = 0;
  for (size_t k = frame.list_begin; k < frame.list_end; ++k, ++passed) {
    const uint32_t i = lists_[k];
    if (floors_[i] > frame.level) break;
    if (floors_[i] == frame.level && i > frame.number) break;
  }
  return passed;
}

// Finds out how low each passed item can still lie: on the lowest top of what
// can get under it. False if nothing can.
bool PackingSearch::RaisePassed(const Frame& frame, size_t passed) {
  passed_.clear();
  if (passed == 0) return true;
  const auto first = static_cast<ptrdiff_t>(frame.first_step);
  const auto last = static_cast<ptrdiff_t>(frame.last_step);
  for (auto* lowest : {&lowest_floor_, &lowest_top_}) {
    std::fill(lowest->begin() + first, lowest->begin() + last, kMaxLevel);
  }
  for (size_t k = frame.next; k < frame.list_end; ++k) {
    const Local& item = items_[lists_[k]];
    const Level floor = floors_[lists_[k]];
    const Level top = floor + item.size;
    for (uint32_t s = item.begin; s < item.end; ++s) {
      lowest_floor_[s] = std::min(lowest_floor_[s], floor);
      lowest_top_[s] = std::min(lowest_top_[s], top);
    }
  }
  for (size_t k = frame.list_begin; k < frame.next; ++k) {
    const uint32_t i = lists_[k];
    const Local& item = items_[i];
    Level floor = kMaxLevel;
    Level top = kMaxLevel;
    for (uint32_t s = item.begin; s < item.end; ++s) {
      floor = std::min(floor, lowest_floor_[s]);
      top = std::min(top, lowest_top_[s]);
    }
    if (floor >= floors_[i] + item.size) return false;
    raised_[i] = AlignLevel(top, item.alignment);
    passed_.push_back(i);
  }
  std::sort(passed_.begin(), passed_.end(), [&](uint32_t a, uint32_t b) {
    return raised_[a] != raised_[b] ? raised_[a] < raised_[b] : a < b;
  });
  return true;
}

// From the highest floor down: at every step, what lies at a floor or above
// must fit above it.
bool PackingSearch::FitsAbove(const Frame& frame, size_t passed) {
  std::fill(above_.begin() + frame.first_step, above_.begin() + frame.last_step,
            0);
  size_t open = frame.list_end;
  size_t raised = passed;
  while (open > frame.next || raised > 0) {
    const bool take_open =
        raised == 0 || (open > frame.next && floors_[lists_[open - 1]] >=
                                                 raised_[passed_[raised - 1]]);
    const uint32_t i = take_open ? lists_[--open] : passed_[--raised];
    const Local& item = items_[i];
    Level most = 0;
    for (uint32_t s = item.begin; s < item.end; ++s) {
      above_[s] += item.size;
      most = std::max(most, above_[s]);
    }
    if ((take_open ? floors_[i] : raised_[i]) + most > capacity_) return false;
  }
  return true;
}

bool PackingSearch::IsCandidate(uint32_t number) const {
  const Local& item = items_[number];
  // Of twins the first comes first, or both orders would be searched.
  if (item.twin != kNone && placed_at_[item.twin] == kUnplaced) return false;
  const Level room = capacity_ - floors_[number];
  for (uint32_t s = item.begin; s < item.end; ++s) {
    if (remaining_[s] > room) return false;
  }
  return true;
}

bool PackingSearch::PlaceNext() {
  const size_t self = frames_.size() - 1;
  while (frames_[self].next < frames_[self].list_end) {
    const uint32_t number = lists_[frames_[self].next++];
    if (floors_[number] >= frames_[self].limit) break;
    // Placing adds a frame, so that no reference to this one outlives it.
    if (IsCandidate(number) && Place(number)) return true;
  }
  frames_[self].next = frames_[self].list_end;
  return false;
}

// False, and nothing has changed, if something could not lie low enough then.
bool PackingSearch::Place(uint32_t number) {
  const Local& item = items_[number];
  const Frame parent = frames_.back();
  Frame child = parent;
  child.level = floors_[number];
  child.number = number;
  child.placed = number;
  child.split = kNone;
  child.floors_mark = old_floors_.size();
  child.lists_mark = lists_.size();
  child.parts_mark = parts_.size();
  child.entered = false;
  placed_at_[number] = floors_[number];
  for (uint32_t s = item.begin; s < item.end; ++s) remaining_[s] -= item.size;
  const bool possible = ListWithout(parent, number, &child);
  frames_.push_back(child);
  if (!possible) Pop();
  return possible;
}

// Lists what is left of the parent's items, with the floors that the item just
// placed has raised; false if one of them is too high.
bool PackingSearch::ListWithout(const Frame& parent, uint32_t number,
                                Frame* child) {
  const Level top = floors_[number] + items_[number].size;
  bool possible = true;
  lifted_.clear();
  kept_.clear();
  for (size_t k = parent.list_begin; k < parent.list_end; ++k) {
    const uint32_t i = lists_[k];
    if (i == number) continue;
    if (floors_[i] < top && Overlap(i, number)) {
      old_floors_.emplace_back(i, floors_[i]);
      floors_[i] = AlignLevel(top, items_[i].alignment);
      lifted_.push_back(i);
      possible = possible && floors_[i] + items_[i].size <= capacity_;
    } else {
      kept_.push_back(i);
    }
  }
  const auto before = [this](uint32_t a, uint32_t b) { return Before(a, b); };
  std::sort(lifted_.begin(), lifted_.end(), before);
  child->list_begin = lists_.size();
  std::merge(kept_.begin(), kept_.end(), lifted_.begin(), lifted_.end(),
             std::back_inserter(lists_), before);
  child->list_end = lists_.size();
  child->next = child->list_begin;
  return possible;
}

void PackingSearch::Fail() {
  while (true) {
    const Frame& top = frames_.back();
    if (top.placed != kNone) {
      Pop();  // its parent may have other candidates
      return;
    }
    if (top.split == kNone) {
      state_ = State::kExhausted;
      return;
    }
    // One part that fails is enough, whatever the others are like.
    const uint32_t split = top.split;
    while (frames_.size() - 1 > split) Pop();
  }
}

void PackingSearch::Pop() {
  const Frame top = frames_.back();
  frames_.pop_back();
  for (; old_floors_.size() > top.floors_mark; old_floors_.pop_back()) {
    floors_[old_floors_.back().first] = old_floors_.back().second;
  }
  lists_.resize(top.lists_mark);
  parts_.resize(top.parts_mark);
  if (top.placed == kNone) return;
  const Local& item = items_[top.placed];
  placed_at_[top.placed] = kUnplaced;
  for (uint32_t s = item.begin; s < item.end; ++s) remaining_[s] += item.size;
}

}  // namespace stowage::optimal
