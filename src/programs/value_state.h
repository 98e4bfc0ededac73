// SPDX-License-Identifier: Apache-2.0
// Stores the values that are in memory and the values that slots have, at one
// place in a program. verify_values.cc follows these values from point to
// point.
#ifndef STOWAGE_SRC_PROGRAMS_VALUE_STATE_H_
#define STOWAGE_SRC_PROGRAMS_VALUE_STATE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "stowage/base/optional.h"
#include "stowage/programs/points.h"

namespace stowage {

// The bytes [begin, end) of the arena.
struct SlotBytes {
  size_t begin = 0;
  size_t end = 0;
};

// The name of a value. Two slots of one state hold the same bytes on every path
// if their values have the same name. A name refers either to a value written
// at a point on all paths, or to a class of slots at a join. Apart from that,
// equal names in different states are unrelated.
using ValueName = uint64_t;

// Returns the name of the value that a point writes to a slot.
constexpr ValueName WrittenValue(uint32_t point, SlotId slot) {
  return uint64_t{point} << 32 | slot;
}

// Stores the facts that hold on every path to one place.
class ValueState {
 public:
  // Returns the value of a slot, or nullopt if some path does not write the
  // slot.
  optional<ValueName> ValueOf(SlotId slot) const;
  void SetValue(SlotId slot, ValueName value) { values_[slot] = value; }

  // Writes a value to `bytes`. Byte 0 of the value is at bytes.begin.
  void Write(SlotBytes bytes, ValueName value);
  // Returns the first of `bytes` that does not hold its part of the value,
  // where byte 0 of the value is at bytes.begin. Returns nullopt if all bytes
  // hold their parts.
  optional<size_t> FirstOther(SlotBytes bytes, ValueName value) const;

  // Removes the slots for which `is_live` returns false, and the bytes whose
  // value belongs to none of the remaining slots.
  template <typename IsLive>
  void Restrict(const IsLive& is_live);

  // Keeps only the facts that are also true in `other`, a state that reaches
  // the same join. Two slots hold the same value after the join if they do so
  // in both states, and a byte holds a value if it holds that value in both
  // states. New values are named after the join and their lowest slot. Returns
  // whether any fact was lost. O((slots + ranges) log slots).
  bool Join(const ValueState& other, uint32_t join);

 private:
  // A range of bytes that hold consecutive bytes of one value.
  struct Cell {
    size_t end = 0;
    ValueName value = 0;
    size_t base = 0;  // where byte 0 of the value lies, modulo 2^64
  };
  using Memory = std::map<size_t, Cell>;  // by first byte
  class Classes;

  void Erase(SlotBytes bytes);
  void DropUnheld();
  static void Append(size_t begin, const Cell& cell, Memory* memory);
  bool JoinMemory(const ValueState& other, const Classes& classes);

  Memory memory_;
  std::map<SlotId, ValueName> values_;
};

template <typename IsLive>
void ValueState::Restrict(const IsLive& is_live) {
  for (auto it = values_.begin(); it != values_.end();) {
    it = is_live(it->first) ? std::next(it) : values_.erase(it);
  }
  DropUnheld();
}

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_VALUE_STATE_H_
