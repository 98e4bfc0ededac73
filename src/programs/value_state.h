// SPDX-License-Identifier: Apache-2.0
// The values that lie in memory, and those that slots have, at one place of a
// program. verify_values.cc follows them along the points.
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

// A name of a value. Two slots of one state hold the same bytes on every path
// if their values have the same name. Names of different states are not
// related, except that a name stands for a value that was written at a point
// on all paths, or for a class of slots at a join.
using ValueName = uint64_t;

// The value that a point writes to a slot.
constexpr ValueName WrittenValue(uint32_t point, SlotId slot) {
  return uint64_t{point} << 32 | slot;
}

// What is known on every path that leads to one place.
class ValueState {
 public:
  // Returns the value of a slot, or nullopt if some path writes none.
  optional<ValueName> ValueOf(SlotId slot) const;
  void SetValue(SlotId slot, ValueName value) { values_[slot] = value; }

  // Puts a value on some bytes. Its byte 0 lies at bytes.begin.
  void Write(SlotBytes bytes, ValueName value);
  // Returns the first byte that does not hold the part of the value that lies
  // there if its byte 0 lies at bytes.begin; nullopt if all do.
  optional<size_t> FirstOther(SlotBytes bytes, ValueName value) const;

  // Forgets the slots for which `is_live` is false, and bytes without a value
  // of a slot.
  template <typename IsLive>
  void Restrict(const IsLive& is_live);

  // Keeps what is also true in another state that reaches the same join. Two
  // slots hold the same value if they do so in both states; a byte holds it if
  // it does so in both states. New values are named by the join and by their
  // lowest slot. Returns whether anything that was known is lost.
  // O((slots + ranges) log slots).
  bool Join(const ValueState& other, uint32_t join);

 private:
  // A range of bytes that hold consecutive bytes of a value.
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
