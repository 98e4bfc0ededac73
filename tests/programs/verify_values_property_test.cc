// SPDX-License-Identifier: Apache-2.0
// Compares the check by values with a model that visits every state of every
// run. The points are random: nested sequences, branches and loops with copies,
// views, results in place and parts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/programs/points.h"
#include "stowage/verify_values.h"
#include "tests/programs/value_model.h"
#include "tests/support/sanitized.h"

namespace stowage {
namespace {

// Generates random points and a plan for them. Most slots have the same size,
// and many are at the same offset or close together, so values are shared,
// damaged and restored.
class RandomPoints {
 public:
  explicit RandomPoints(uint64_t seed) : random_(seed) {
    const size_t slots = 2 + random_.Below(5);
    const size_t size = 1 + random_.Below(3);
    const size_t extent = size * (1 + random_.Below(3)) + random_.Below(2);
    for (SlotId slot = 0; slot < slots; ++slot) {
      points.slot_sizes.push_back(random_.Below(8) == 0 ? random_.Below(4)
                                                        : size);
      offsets.push_back(random_.Below(4) == 0
                            ? random_.Below(extent)
                            : size * random_.Below(1 + slots / 2));
    }
    Point start;
    start.kind = PointKind::kStart;
    for (SlotId slot = 0; slot < slots; ++slot) {
      if (IsFree(slot, start.writes)) start.writes.push_back(slot);
    }
    points.points.push_back(start);
    known_ = start.writes;
    ends_ = {0};
    Sequence(2 + random_.Below(5), 0);
  }

  ProgramPoints points;
  std::vector<optional<size_t>> offsets;
  std::vector<SlotPart> parts;

 private:
  SlotId AnySlot() {
    return static_cast<SlotId>(random_.Below(points.slot_sizes.size()));
  }
  // Returns a slot that has probably been written before.
  SlotId KnownSlot() { return known_[random_.Below(known_.size())]; }
  bool IsFree(SlotId slot, const std::vector<SlotId>& taken) const {
    return std::none_of(taken.begin(), taken.end(), [&](SlotId other) {
      return *offsets[slot] < *offsets[other] + points.slot_sizes[other] &&
             *offsets[other] < *offsets[slot] + points.slot_sizes[slot];
    });
  }

  // Appends a point, and makes it the successor of all points without a
  // successor.
  uint32_t Add(Point point) {
    const auto index = static_cast<uint32_t>(points.points.size());
    points.points.push_back(std::move(point));
    for (const uint32_t end : ends_) points.points[end].next.push_back(index);
    ends_ = {index};
    return index;
  }

  Point AnyPoint() {
    Point point;
    const uint64_t choice = random_.Below(8);
    if (choice < 2) {
      point.reads.push_back(KnownSlot());
      return point;
    }
    for (size_t i = 1 + random_.Below(2); i > 0; --i) {
      const SlotId slot = AnySlot();
      if (points.slot_sizes[slot] == 0 || !IsFree(slot, point.writes)) continue;
      point.writes.push_back(slot);
      const SlotId source = KnownSlot();
      if (points.slot_sizes[source] == 0 || choice == 2) continue;
      point.reads.push_back(source);
      if (choice < 6) {
        if (choice == 3) point.kind = PointKind::kResults;
        point.copies.push_back({slot, source});
      } else if (choice == 6) {
        point.in_place.push_back({slot, source, random_.Below(4) != 0});
      } else {
        const bool reads_part = random_.Below(2) == 0;
        parts.push_back({points.points.size(), reads_part ? source : slot,
                         reads_part ? slot : source, random_.Below(2)});
      }
    }
    if (choice >= 6 && random_.Below(3) == 0) {
      point.reads.push_back(KnownSlot());
    }
    known_.insert(known_.end(), point.writes.begin(), point.writes.end());
    return point;
  }

  void Sequence(size_t length, size_t depth) {
    for (size_t i = 0; i < length; ++i) {
      const uint64_t choice = depth < 2 ? random_.Below(6) : 5;
      if (choice == 0) {
        Branch(depth);
      } else if (choice <= 2) {
        Loop(depth);
      } else {
        Add(AnyPoint());
      }
    }
  }

  void Branch(size_t depth) {
    const uint32_t fork = Add(AnyPoint());
    Sequence(1 + random_.Below(2), depth + 1);
    std::vector<uint32_t> ends = ends_;
    ends_ = {fork};
    Sequence(random_.Below(3), depth + 1);
    ends_.insert(ends_.end(), ends.begin(), ends.end());
  }

  void Loop(size_t depth) {
    const uint32_t head = Add(AnyPoint());
    Sequence(1 + random_.Below(3), depth + 1);
    for (const uint32_t end : ends_) points.points[end].next.push_back(head);
    ends_ = {head};
  }

  Random random_;
  std::vector<uint32_t> ends_;  // the points that the next one follows
  std::vector<SlotId> known_;   // the slots that were written, maybe repeated
};

TEST(VerifyValuesPropertyTest, AgreesWithEveryRun) {
  size_t faults = 0;
  const size_t count = support::Sampled(20000);
  for (uint64_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(seed);
    const RandomPoints random(seed);
    const bool fails =
        SomeRunFails(random.points, random.offsets, random.parts);
    const optional<ValueFault> fault =
        FindValueFault(random.points, random.offsets, random.parts);
    ASSERT_EQ(fault.has_value(), fails);
    faults += fails ? 1 : 0;
  }
  // Neither result is rare, so the test can find errors of both kinds.
  EXPECT_GT(faults, count / 5);
  EXPECT_LT(faults, count - count / 5);
}

}  // namespace
}  // namespace stowage
