// SPDX-License-Identifier: Apache-2.0
#include "tests/programs/value_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/programs/points.h"
#include "stowage/verify_values.h"

namespace stowage {
namespace {

// Identifies a byte by its value and its index in that value. Value 0 means
// that there is no value.
using ModelByte = std::pair<int, size_t>;

// The memory and the values of slots at one moment of a run.
struct RunState {
  std::vector<ModelByte> memory;
  std::vector<int> values;  // by slot; 0 before the slot is written

  bool operator<(const RunState& other) const {
    return std::tie(memory, values) < std::tie(other.memory, other.values);
  }
};

// Renumbers the values as 1, 2, ... in the order of the slots that have them,
// so that states that differ only in numbers become equal. A value that no slot
// has becomes 0.
void Renumber(RunState* state) {
  std::map<int, int> names = {{0, 0}};
  for (int& value : state->values) {
    value = names.emplace(value, static_cast<int>(names.size())).first->second;
  }
  for (ModelByte& byte : state->memory) {
    const auto it = names.find(byte.first);
    byte = it == names.end() || it->second == 0
               ? ModelByte{0, 0}
               : ModelByte{it->second, byte.second};
  }
}

class ValueModel {
 public:
  ValueModel(const ProgramPoints& points,
             const std::vector<optional<size_t>>& offsets,
             const std::vector<SlotPart>& parts)
      : points_(points), offsets_(offsets), parts_(parts) {}

  bool Fails() {
    RunState start;
    start.values.assign(points_.slot_sizes.size(), 0);
    size_t end = 0;
    for (SlotId slot = 0; slot < offsets_.size(); ++slot) {
      end = std::max(end, Begin(slot) + points_.slot_sizes[slot]);
    }
    start.memory.assign(end, {0, 0});
    std::vector<std::pair<uint32_t, RunState>> left = {{0, start}};
    std::set<std::pair<uint32_t, RunState>> seen = {left[0]};
    while (!left.empty()) {
      auto at = left.back();
      left.pop_back();
      if (!Step(at.first, &at.second)) return true;
      Renumber(&at.second);
      for (const uint32_t next : points_.points[at.first].next) {
        if (seen.insert({next, at.second}).second) {
          left.push_back({next, at.second});
        }
      }
    }
    return false;
  }

 private:
  size_t Begin(SlotId slot) const { return offsets_[slot].value_or(0); }
  size_t Size(SlotId slot) const { return points_.slot_sizes[slot]; }
  bool HasByte(SlotId slot, size_t byte) const {
    return byte >= Begin(slot) && byte < Begin(slot) + Size(slot);
  }
  bool Overlap(SlotId a, SlotId b) const {
    for (size_t i = 0; i < Size(a); ++i) {
      if (HasByte(b, Begin(a) + i)) return true;
    }
    return false;
  }
  bool Holds(const RunState& state, SlotId slot) const {
    for (size_t i = 0; i < Size(slot); ++i) {
      if (state.values[slot] == 0 ||
          state.memory[Begin(slot) + i] != ModelByte{state.values[slot], i}) {
        return false;
      }
    }
    return true;
  }
  bool MayOverwrite(uint32_t index, SlotId output, SlotId input) const {
    const Point& point = points_.points[index];
    for (const SlotInPlace& pair : point.in_place) {
      if (pair.output == output && pair.input == input &&
          Begin(output) == Begin(input) && Size(output) == Size(input)) {
        return true;
      }
    }
    for (const SlotPart& part : parts_) {
      const bool is_pair = (part.part == output && part.whole == input) ||
                           (part.part == input && part.whole == output);
      if (part.point == index && is_pair &&
          Begin(part.whole) + part.at == Begin(part.part) &&
          part.at + Size(part.part) <= Size(part.whole)) {
        return true;
      }
    }
    return LiesOnPart(point, index, output, input);
  }
  // Returns whether the input is inside a part of the output that is already in
  // its place. Such a part is another input, and the point does not write its
  // bytes.
  bool LiesOnPart(const Point& point, uint32_t index, SlotId output,
                  SlotId input) const {
    return std::any_of(parts_.begin(), parts_.end(), [&](const SlotPart& part) {
      return part.point == index && part.whole == output &&
             std::count(point.reads.begin(), point.reads.end(), part.part) >
                 0 &&
             Begin(output) + part.at == Begin(part.part) &&
             part.at + Size(part.part) <= Size(output) &&
             Begin(input) >= Begin(part.part) &&
             Begin(input) + Size(input) <= Begin(part.part) + Size(part.part);
    });
  }

  // Executes a point. Returns whether all of its reads and writes were correct.
  bool Step(uint32_t index, RunState* state) const {
    const Point& point = points_.points[index];
    std::map<SlotId, SlotId> sources;
    std::set<SlotId> copied;
    std::set<SlotId> read(point.reads.begin(), point.reads.end());
    for (const SlotInPlace& pair : point.in_place) {
      if (pair.is_view) sources[pair.output] = pair.input;
    }
    for (const SlotCopy& copy : point.copies) {
      sources[copy.destination] = copy.source;
      copied.insert(copy.destination);
      copied.insert(copy.source);
    }
    for (const SlotId slot : read) {
      if (!Holds(*state, slot)) return false;
    }
    int fresh = 1 + static_cast<int>(points_.slot_sizes.size());
    std::map<size_t, ModelByte> writes;
    std::map<SlotId, int> values;
    for (const SlotId slot : point.writes) {
      const auto source = sources.find(slot);
      const bool takes_over =
          source != sources.end() && Size(source->second) == Size(slot);
      const int value = takes_over ? state->values[source->second] : fresh++;
      values[slot] = value;
      const bool is_made = !takes_over || Begin(source->second) != Begin(slot);
      for (const SlotId input : read) {
        const bool is_copied =
            point.kind != PointKind::kOperator ||
            (copied.count(input) != 0 && copied.count(slot) != 0);
        if (is_made && input != slot && Overlap(slot, input) && !is_copied &&
            !MayOverwrite(index, slot, input)) {
          return false;
        }
      }
      for (size_t i = 0; i < Size(slot); ++i) {
        const ModelByte byte = {value, i};
        if (writes.emplace(Begin(slot) + i, byte).first->second != byte) {
          return false;
        }
      }
    }
    for (const auto& write : writes) state->memory[write.first] = write.second;
    for (const auto& value : values) state->values[value.first] = value.second;
    return true;
  }

  const ProgramPoints& points_;
  const std::vector<optional<size_t>>& offsets_;
  const std::vector<SlotPart>& parts_;
};

}  // namespace

bool SomeRunFails(const ProgramPoints& points,
                  const std::vector<optional<size_t>>& offsets,
                  const std::vector<SlotPart>& parts) {
  return ValueModel(points, offsets, parts).Fails();
}

}  // namespace stowage
