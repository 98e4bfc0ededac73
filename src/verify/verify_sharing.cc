// SPDX-License-Identifier: Apache-2.0
#include "src/verify/verify_sharing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "src/verify/footprint.h"
#include "src/verify/group_footprints.h"
#include "src/verify/hit_counter.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/task_order.h"

namespace stowage {
namespace {

using Kind = Violation::Kind;

uint32_t PoolOf(const OffsetsAssignment& assignment, size_t record) {
  return assignment.pools.empty() ? 0 : assignment.pools[record];
}

// Visits the records of every pool in the order of their offsets. For each
// record, counts the other records that contain its first byte (hits), and how
// many of these may contain it: members of the same group, partners of `never`,
// and partners of `same_or_apart` that are in the same place. If there are more
// hits than allowed hits, a second pass searches for the two records of a
// violation.
class SharingSweep {
 public:
  SharingSweep(Span<const ByteRecord> all, const Constraints& constraints,
               const OffsetsAssignment& assignment, Span<const size_t> placed)
      : all_(all),
        constraints_(constraints),
        assignment_(assignment),
        records_(WithBytes(all, placed)),
        footprints_(all, constraints, records_),
        groups_(constraints, records_, footprints_),
        all_hits_(footprints_.length()),
        hole_hits_(constraints_.holes.empty() ? 0 : footprints_.length()),
        group_hits_(groups_.length()) {
    AddItems();
    AddAllowed();
  }

  optional<Violation> Run() {
    size_t ended = 0;
    for (const size_t item : by_begin_) {
      const Item& next = items_[item];
      for (; IsOver(items_[by_end_[ended]], next); ++ended) {
        End(by_end_[ended]);
      }
      if (auto violation = Begin(item)) return violation;
    }
    return nullopt;
  }

 private:
  // The bytes of a hole, or of a record that is not empty. The index of an item
  // in items_ is also its index in Footprints.
  struct Item {
    uint32_t pool = 0;
    bool is_active = false;  // says whether the item holds the current byte
    size_t begin = 0;
    size_t end = 0;
  };

  using ItemPairs = std::vector<std::pair<size_t, size_t>>;

  static std::vector<size_t> WithBytes(Span<const ByteRecord> all,
                                       Span<const size_t> placed) {
    std::vector<size_t> found;
    found.reserve(placed.size());
    for (const size_t i : placed) {
      if (all[i].tensor_size > 0) found.push_back(i);
    }
    return found;
  }

  static bool IsOver(const Item& item, const Item& next) {
    return item.pool != next.pool ? item.pool < next.pool
                                  : item.end <= next.begin;
  }

  bool IsHole(size_t item) const { return item >= records_.size(); }

  void AddItems() {
    items_.reserve(records_.size() + constraints_.holes.size());
    for (const size_t i : records_) {
      const size_t begin = assignment_.offsets[i];
      items_.push_back(
          {PoolOf(assignment_, i), false, begin, begin + all_[i].tensor_size});
    }
    for (const Hole& hole : constraints_.holes) {
      items_.push_back({hole.pool, false, hole.begin, hole.end});
    }
    by_begin_.resize(items_.size());
    for (size_t i = 0; i < items_.size(); ++i) by_begin_[i] = i;
    by_end_ = by_begin_;
    std::sort(by_begin_.begin(), by_begin_.end(), [&](size_t a, size_t b) {
      return std::tie(items_[a].pool, items_[a].begin, a) <
             std::tie(items_[b].pool, items_[b].begin, b);
    });
    std::sort(by_end_.begin(), by_end_.end(), [&](size_t a, size_t b) {
      return std::tie(items_[a].pool, items_[a].end, a) <
             std::tie(items_[b].pool, items_[b].end, b);
    });
  }

  // Fills allowed_ and parted_. Skips pairs within a group, because they are
  // already counted as allowed.
  void AddAllowed() {
    if (constraints_.never.empty() && constraints_.same_or_apart.empty()) {
      return;
    }
    std::vector<size_t> item_of(all_.size(), items_.size());
    for (size_t item = 0; item < records_.size(); ++item) {
      item_of[records_[item]] = item;
    }
    for (const auto& [first, second] : constraints_.never) {
      AddPair(item_of[first], item_of[second], &allowed_);
    }
    for (const SharedPlace& pair : constraints_.same_or_apart) {
      const size_t a = item_of[pair.first];
      const size_t b = item_of[pair.second];
      if (a == items_.size() || b == items_.size()) continue;
      const bool is_one_place = items_[a].pool == items_[b].pool &&
                                items_[a].begin == items_[b].begin &&
                                items_[a].end == items_[b].end;
      AddPair(a, b, is_one_place ? &allowed_ : &parted_);
    }
    for (ItemPairs* const pairs : {&allowed_, &parted_}) {
      std::sort(pairs->begin(), pairs->end());
      pairs->erase(std::unique(pairs->begin(), pairs->end()), pairs->end());
    }
  }

  // Adds the pair in both orders. Does nothing if one of the two records is not
  // an item, or if both are in the same group.
  void AddPair(size_t a, size_t b, ItemPairs* pairs) const {
    if (a == items_.size() || b == items_.size() || AreInOneGroup(a, b)) {
      return;
    }
    pairs->emplace_back(a, b);
    pairs->emplace_back(b, a);
  }

  bool AreInOneGroup(size_t a, size_t b) const {
    if (constraints_.places.empty()) return false;
    const uint32_t group = constraints_.places[records_[a]].group;
    return group != kNoGroup && group == constraints_.places[records_[b]].group;
  }

  optional<Violation> Begin(size_t item) {
    footprints_.Read(item, &footprint_);
    if (IsHole(item)) {
      if (all_hits_.Count(footprint_) > 0) return RecordInHole(item);
      hole_hits_.Add(footprint_);
    } else {
      if (!constraints_.holes.empty() && hole_hits_.Count(footprint_) > 0) {
        return HoleOf(item);
      }
      if (all_hits_.Count(footprint_) > CountAllowed(item)) {
        return PairOf(item);
      }
      all_hits_.Add(footprint_);
      if (groups_.HasOthers(item)) group_hits_.Add(projected_);
    }
    items_[item].is_active = true;
    return nullopt;
  }

  void End(size_t item) {
    items_[item].is_active = false;
    footprints_.Read(item, &footprint_);
    if (IsHole(item)) {
      hole_hits_.Remove(footprint_);
      return;
    }
    all_hits_.Remove(footprint_);
    if (!groups_.HasOthers(item)) return;
    groups_.Project(item, footprint_, &projected_);
    group_hits_.Remove(projected_);
  }

  // Returns the number of allowed hits of `item`, which must be a record with
  // the footprint footprint_. Sets projected_ to the footprint on the axis of
  // the group of `item`.
  size_t CountAllowed(size_t item) {
    size_t allowed = 0;
    if (groups_.HasOthers(item)) {
      groups_.Project(item, footprint_, &projected_);
      allowed += group_hits_.Count(projected_);
    }
    for (auto pair = std::lower_bound(allowed_.begin(), allowed_.end(),
                                      std::make_pair(item, size_t{0}));
         pair != allowed_.end() && pair->first == item; ++pair) {
      if (!items_[pair->second].is_active) continue;
      footprints_.Read(pair->second, &other_);
      allowed += CountHits(footprint_, other_);
    }
    return allowed;
  }

  // Returns the first active item, at index `begin` or later, that has a hit
  // with footprint_ and must not share bytes with `item`. Requires that such an
  // item exists.
  size_t FindActive(size_t item, size_t begin) {
    for (size_t i = begin;; ++i) {
      if (!items_[i].is_active) continue;
      footprints_.Read(i, &other_);
      if (CountHits(footprint_, other_) == 0) continue;
      if (IsHole(i) || IsHole(item)) return i;
      if (!AreInOneGroup(item, i) &&
          !std::binary_search(allowed_.begin(), allowed_.end(),
                              std::make_pair(item, i))) {
        return i;
      }
    }
  }

  Violation RecordInHole(size_t hole) {
    return InHole(FindActive(hole, 0), hole);
  }
  Violation HoleOf(size_t item) {
    return InHole(item, FindActive(item, records_.size()));
  }

  Violation WitnessOf(Kind kind, size_t a, size_t b) const {
    Violation violation;
    violation.kind = kind;
    violation.first_tensor = records_[a];
    violation.pool = items_[a].pool;
    violation.begin = std::max(items_[a].begin, items_[b].begin);
    violation.end = std::min(items_[a].end, items_[b].end);
    return violation;
  }

  Violation InHole(size_t item, size_t hole) const {
    Violation violation = WitnessOf(Kind::kInHole, item, hole);
    violation.hole = hole - records_.size();
    violation.task = all_[records_[item]].first_task;
    if (!constraints_.order) {
      violation.task = std::max(violation.task,
                                constraints_.holes[violation.hole].first_task);
    }
    return violation;
  }

  Violation PairOf(size_t item) {
    const size_t other = FindActive(item, 0);
    const size_t a = std::min(item, other);
    const size_t b = std::max(item, other);
    const bool is_in_part = std::binary_search(parted_.begin(), parted_.end(),
                                               std::make_pair(a, b));
    if (constraints_.order && !is_in_part) return UnorderedPair(a, b);
    Violation violation = WitnessOf(
        is_in_part ? Kind::kSharedInPart : Kind::kOverlappingBytes, a, b);
    violation.second_tensor = records_[b];
    if (constraints_.order) return violation;
    violation.task =
        std::max(all_[records_[a]].first_task, all_[records_[b]].first_task);
    return violation;
  }

  Violation UnorderedPair(size_t a, size_t b) {
    Violation violation = WitnessOf(Kind::kUnorderedSharing, a, b);
    for (const auto& [first, second] : {std::pair(a, b), std::pair(b, a)}) {
      violation.first_tensor = records_[first];
      violation.second_tensor = records_[second];
      if (SetTasks(first, second, &violation)) break;
    }
    return violation;
  }

  // Sets the tasks of a violation: `task` becomes the first user of `first`
  // that neither precedes all users of `second` nor follows all of them, and
  // `second_task` and `third_task` become users of `second` that show this.
  // Returns false if `first` has no such user. O(users + chains).
  bool SetTasks(size_t first, size_t second, Violation* violation) {
    footprints_.Read(first, &footprint_);
    footprints_.Read(second, &other_);
    const auto& points = footprint_.points;  // has one point for each user
    const auto point =
        std::find_if(points.begin(), points.end(),
                     [&](size_t p) { return HasInRange(other_, p); });
    if (point == points.end()) return false;
    const TaskOrder& order = *constraints_.order;
    violation->task =
        constraints_.users[records_[first]]
                          [static_cast<size_t>(point - points.begin())];
    for (const TaskId other : constraints_.users[records_[second]]) {
      if (order.Precedes(other, violation->task)) {
        violation->second_task = other;
      } else if (order.Precedes(violation->task, other)) {
        violation->third_task = other;
      } else {
        violation->second_task = other;
        violation->third_task = other;
        break;
      }
    }
    return true;
  }

  const Span<const ByteRecord> all_;
  const Constraints& constraints_;
  const OffsetsAssignment& assignment_;
  const std::vector<size_t> records_;
  const Footprints footprints_;
  const GroupFootprints groups_;
  HitCounter all_hits_;   // counts the hits of records
  HitCounter hole_hits_;  // counts the hits of holes
  // Counts the hits between records of the same group, on the axes of the
  // groups.
  HitCounter group_hits_;
  std::vector<Item> items_;
  std::vector<size_t> by_begin_;
  std::vector<size_t> by_end_;
  // Both lists are sorted and contain each pair in both orders. allowed_
  // contains the pairs of `never`, and the pairs of `same_or_apart` that are in
  // the same place; parted_ contains all other pairs of `same_or_apart`.
  ItemPairs allowed_;
  ItemPairs parted_;
  Footprint footprint_;
  Footprint projected_;
  Footprint other_;
};

}  // namespace

optional<Violation> FindSharing(Span<const ByteRecord> records,
                                const Constraints& constraints,
                                const OffsetsAssignment& assignment,
                                Span<const size_t> placed) {
  return SharingSweep(records, constraints, assignment, placed).Run();
}

optional<Violation> FindNotApart(Span<const ByteRecord> records,
                                 const Constraints& constraints,
                                 const OffsetsAssignment& assignment,
                                 Span<const size_t> placed) {
  if (constraints.apart.empty()) return nullopt;
  std::vector<bool> has_bytes(records.size(), false);
  for (const size_t i : placed) has_bytes[i] = records[i].tensor_size > 0;
  const auto key = [&](size_t i) {
    return std::make_tuple(PoolOf(assignment, i), assignment.offsets[i], i);
  };
  const auto end_of = [&](size_t i) {
    return assignment.offsets[i] + records[i].tensor_size;
  };
  std::vector<size_t> members;
  for (const std::vector<size_t>& set : constraints.apart) {
    members.clear();
    for (const size_t i : set) {
      if (has_bytes[i]) members.push_back(i);
    }
    std::sort(members.begin(), members.end(),
              [&](size_t a, size_t b) { return key(a) < key(b); });
    // It is enough to compare neighbours: as long as no two records overlap,
    // the previous record has the highest end so far.
    for (size_t k = 1; k < members.size(); ++k) {
      const size_t a = members[k - 1];
      const size_t b = members[k];
      if (PoolOf(assignment, a) != PoolOf(assignment, b) ||
          end_of(a) <= assignment.offsets[b]) {
        continue;
      }
      Violation violation;
      violation.kind = Kind::kNotApart;
      violation.first_tensor = std::min(a, b);
      violation.second_tensor = std::max(a, b);
      violation.pool = PoolOf(assignment, a);
      violation.begin = assignment.offsets[b];
      violation.end = std::min(end_of(a), end_of(b));
      return violation;
    }
  }
  return nullopt;
}

}  // namespace stowage
