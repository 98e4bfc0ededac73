// SPDX-License-Identifier: Apache-2.0
#include "src/programs/value_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "stowage/base/optional.h"
#include "stowage/programs/points.h"

namespace stowage {
namespace {

// The bit that is set in the names that joins create, and clear in the names of
// written values.
constexpr ValueName kJoinBit = uint64_t{1} << 63;

ValueName JoinedValue(uint32_t join, SlotId slot) {
  return WrittenValue(join, slot) | kJoinBit;
}

bool IsNamedBy(uint32_t join, ValueName value) {
  return value >> 32 == JoinedValue(join, 0) >> 32;
}

}  // namespace

// Merges the values of two states at a join. Maps each pair of a value in one
// state and a value in the other state to one value after the join. Two slots
// have the same value after the join if they have the same value in both
// states.
class ValueState::Classes {
 public:
  explicit Classes(uint32_t join) : join_(join) {}

  // Adds a slot and returns its value after the join. Slots must be added in
  // rising order. If the slot has the same name in both states, keeps the name,
  // because that value was written by a point on all paths to the join.
  // However, a name that this join has created earlier is replaced, so the name
  // never refers to a value of an earlier iteration.
  ValueName Add(SlotId slot, ValueName here, ValueName there) {
    const bool is_kept = here == there && !IsNamedBy(join_, here);
    const auto added = names_.emplace(
        std::make_pair(here, there), is_kept ? here : JoinedValue(join_, slot));
    if (added.second && !split_.insert(here).second) has_split_ = true;
    return added.first->second;
  }

  // Returns the merged value of the slots that have the value `here` in one
  // state and `there` in the other state, or nullopt if there are no such
  // slots.
  optional<ValueName> Find(ValueName here, ValueName there) const {
    const auto it = names_.find({here, there});
    if (it == names_.end()) return nullopt;
    return it->second;
  }
  bool IsHeld(ValueName here) const { return split_.count(here) != 0; }
  // Returns whether some slots with the same value before the join have
  // different values after the join.
  bool has_split() const { return has_split_; }

 private:
  const uint32_t join_;
  std::map<std::pair<ValueName, ValueName>, ValueName> names_;
  std::set<ValueName> split_;
  bool has_split_ = false;
};

optional<ValueName> ValueState::ValueOf(SlotId slot) const {
  const auto it = values_.find(slot);
  if (it == values_.end()) return nullopt;
  return it->second;
}

void ValueState::Erase(SlotBytes bytes) {
  auto it = memory_.upper_bound(bytes.begin);
  if (it != memory_.begin()) {
    const auto before = std::prev(it);
    const Cell cell = before->second;
    if (cell.end > bytes.begin) {
      if (before->first == bytes.begin) {
        memory_.erase(before);
      } else {
        before->second.end = bytes.begin;
      }
      if (cell.end > bytes.end) memory_.emplace(bytes.end, cell);
    }
  }
  while (it != memory_.end() && it->first < bytes.end) {
    const Cell cell = it->second;
    it = memory_.erase(it);
    if (cell.end > bytes.end) memory_.emplace(bytes.end, cell);
  }
}

void ValueState::Write(SlotBytes bytes, ValueName value) {
  Erase(bytes);
  memory_[bytes.begin] = {bytes.end, value, bytes.begin};
}

optional<size_t> ValueState::FirstOther(SlotBytes bytes,
                                        ValueName value) const {
  size_t at = bytes.begin;
  auto it = memory_.upper_bound(at);
  if (it != memory_.begin()) --it;
  while (at < bytes.end) {
    if (it == memory_.end() || it->first > at || it->second.end <= at ||
        it->second.value != value || it->second.base != bytes.begin) {
      return at;
    }
    at = it->second.end;
    ++it;
  }
  return nullopt;
}

void ValueState::DropUnheld() {
  std::set<ValueName> held;
  for (const auto& value : values_) held.insert(value.second);
  for (auto it = memory_.begin(); it != memory_.end();) {
    it = held.count(it->second.value) != 0 ? std::next(it) : memory_.erase(it);
  }
}

// Appends a cell, or extends the last cell if the new cell continues it.
void ValueState::Append(size_t begin, const Cell& cell, Memory* memory) {
  if (!memory->empty()) {
    Cell& last = memory->rbegin()->second;
    if (last.end == begin && last.value == cell.value &&
        last.base == cell.base) {
      last.end = cell.end;
      return;
    }
  }
  memory->emplace_hint(memory->end(), begin, cell);
}

// Keeps the bytes that hold the same part of the same value in both states.
// Returns true if some byte that was known to hold a part of the value of a
// slot is no longer known to hold it.
bool ValueState::JoinMemory(const ValueState& other, const Classes& classes) {
  Memory joined;
  size_t held_before = 0;
  size_t held_after = 0;
  auto there = other.memory_.begin();
  for (const auto& here : memory_) {
    if (classes.IsHeld(here.second.value)) {
      held_before += here.second.end - here.first;
    }
    while (there != other.memory_.end() && there->second.end <= here.first) {
      ++there;
    }
    for (auto it = there;
         it != other.memory_.end() && it->first < here.second.end; ++it) {
      if (it->second.base != here.second.base) continue;
      const optional<ValueName> value =
          classes.Find(here.second.value, it->second.value);
      if (!value) continue;
      const size_t begin = std::max(here.first, it->first);
      const size_t end = std::min(here.second.end, it->second.end);
      held_after += end - begin;
      Append(begin, {end, *value, here.second.base}, &joined);
    }
  }
  memory_ = std::move(joined);
  return held_after < held_before;
}

bool ValueState::Join(const ValueState& other, uint32_t join) {
  Classes classes(join);
  bool is_lost = false;
  auto there = other.values_.begin();
  for (auto here = values_.begin(); here != values_.end();) {
    while (there != other.values_.end() && there->first < here->first) ++there;
    if (there == other.values_.end() || there->first != here->first) {
      is_lost = true;
      here = values_.erase(here);
      continue;
    }
    here->second = classes.Add(here->first, here->second, there->second);
    ++here;
  }
  const bool is_damaged = JoinMemory(other, classes);
  return is_lost || is_damaged || classes.has_split();
}

}  // namespace stowage
