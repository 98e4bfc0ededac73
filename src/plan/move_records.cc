// SPDX-License-Identifier: Apache-2.0
#include "src/plan/move_records.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Bytes [begin, end) of the arena.
struct Extent {
  size_t begin;
  size_t end;
};

// Holds the offsets of all records while some records are moved.
class Mover {
 public:
  Mover(const Problem& problem, Span<const size_t> offsets,
        const std::vector<bool>& is_fixed, size_t max_visits)
      : records_(problem.records()),
        alignments_(problem.alignments()),
        offsets_(offsets.begin(), offsets.end()),
        is_fixed_(is_fixed),
        is_lifted_(records_.size()),
        visits_left_(max_visits) {}

  // Places the changed records, and moves the records that have to make room
  // for them. Returns whether all of these records now have a place.
  bool Place(std::vector<size_t> changed) {
    for (const size_t i : changed) is_lifted_[i] = true;
    std::stable_sort(changed.begin(), changed.end(),
                     [this](size_t a, size_t b) {
                       if (IsFixed(a) != IsFixed(b)) return IsFixed(a);
                       return records_[a].tensor_size > records_[b].tensor_size;
                     });
    for (const size_t i : changed) {
      if (!Settle(i)) return false;
    }
    std::sort(displaced_.begin(), displaced_.end(), [this](size_t a, size_t b) {
      return std::make_tuple(records_[b].tensor_size, a) <
             std::make_tuple(records_[a].tensor_size, b);
    });
    return std::all_of(displaced_.begin(), displaced_.end(),
                       [this](size_t i) { return MoveToLowestGap(i); });
  }

  // Returns the plan. `changed` lists the records that have changed.
  MovedRecords Finish(Span<const size_t> before,
                      std::vector<size_t> changed) && {
    MovedRecords result;
    for (const size_t i : displaced_) {
      if (offsets_[i] != before[i]) result.moved.push_back(i);
    }
    std::sort(result.moved.begin(), result.moved.end());
    std::set_union(changed.begin(), changed.end(), result.moved.begin(),
                   result.moved.end(), std::back_inserter(result.touched));
    size_t total = 0;
    for (size_t i = 0; i < records_.size(); ++i) {
      total = std::max(total, offsets_[i] + records_[i].tensor_size);
    }
    result.plan.offsets = std::move(offsets_);
    result.plan.total_size = total;
    return result;
  }

 private:
  bool IsFixed(size_t i) const { return !is_fixed_.empty() && is_fixed_[i]; }

  // Counts a visit of every record. Returns false, without counting, if these
  // visits would exceed the limit.
  bool MayVisitAll() {
    const bool may = visits_left_ >= records_.size();
    if (may) visits_left_ -= records_.size();
    return may;
  }

  // Calls visit(k) for each placed record k that conflicts with `record` and
  // overlaps `extent`, until a call returns false. Returns whether no call
  // returned false.
  template <typename Visit>
  bool VisitOverlaps(const ByteRecord& record, Extent extent, Visit visit) {
    for (size_t k = 0; k < records_.size(); ++k) {
      const ByteRecord& other = records_[k];
      const size_t begin = offsets_[k];
      if (begin < extent.end && extent.begin < begin + other.tensor_size &&
          Conflict(record, other) && other.tensor_size > 0 && !is_lifted_[k] &&
          !visit(k)) {
        return false;
      }
    }
    return true;
  }

  // Decides which records have to move because record i has changed. If record
  // i may move, it stays at its offset if it fits there, and otherwise has to
  // move. If record i may not move, it stays, and all records that it overlaps
  // have to move. Returns false if a record that has to move may not move.
  bool Settle(size_t i) {
    if (!MayVisitAll()) return false;
    const ByteRecord record = records_[i];
    const optional<size_t> end = CheckedAdd(offsets_[i], record.tensor_size);
    const bool is_aligned = (offsets_[i] & (alignments_.Of(i) - 1)) == 0;
    if (!end || !is_aligned) {
      if (IsFixed(i)) return false;
      displaced_.push_back(i);
      return true;
    }
    const Extent extent = {offsets_[i], *end};
    if (IsFixed(i)) {
      is_lifted_[i] = false;
      if (record.tensor_size == 0) return true;
      return VisitOverlaps(record, extent, [this, i](size_t k) {
        if (k == i) return true;
        if (IsFixed(k)) return false;
        is_lifted_[k] = true;
        displaced_.push_back(k);
        return true;
      });
    }
    const bool fits =
        record.tensor_size == 0 ||
        VisitOverlaps(record, extent, [](size_t) { return false; });
    is_lifted_[i] = !fits;
    if (!fits) displaced_.push_back(i);
    return true;
  }

  // Moves a record to the lowest offset at which it overlaps no placed record
  // that conflicts with it. Returns false if there is no such offset.
  bool MoveToLowestGap(size_t i) {
    if (!MayVisitAll()) return false;
    const ByteRecord record = records_[i];
    taken_.clear();
    if (record.tensor_size > 0) {
      for (size_t k = 0; k < records_.size(); ++k) {
        const size_t size = records_[k].tensor_size;
        if (Conflict(record, records_[k]) && size > 0 && !is_lifted_[k]) {
          taken_.push_back({offsets_[k], offsets_[k] + size});
        }
      }
    }
    std::sort(
        taken_.begin(), taken_.end(),
        [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    size_t offset = 0;
    for (const Extent& extent : taken_) {
      if (extent.begin >= offset &&
          extent.begin - offset >= record.tensor_size) {
        break;
      }
      if (extent.end <= offset) continue;
      const optional<size_t> next =
          CheckedAlignUp(extent.end, alignments_.Of(i));
      if (!next) return false;
      offset = *next;
    }
    if (!CheckedAdd(offset, record.tensor_size)) return false;
    offsets_[i] = offset;
    is_lifted_[i] = false;
    return true;
  }

  const Span<const ByteRecord> records_;
  const Alignments& alignments_;
  std::vector<size_t> offsets_;
  const std::vector<bool>& is_fixed_;
  // For each record, whether it currently has no place.
  std::vector<bool> is_lifted_;
  std::vector<size_t> displaced_;  // has records that have to move
  // The extents that were unavailable to the record that was moved last.
  std::vector<Extent> taken_;
  size_t visits_left_;
};

}  // namespace

std::vector<size_t> ChangedRecords(const Problem& before,
                                   const Problem& after) {
  std::vector<size_t> changed;
  const Span<const ByteRecord> a = before.records();
  const Span<const ByteRecord> b = after.records();
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t differs =
        (a[i].tensor_size ^ b[i].tensor_size) |
        (a[i].first_task ^ b[i].first_task) |
        (a[i].last_task ^ b[i].last_task) |
        (before.alignments().Of(i) ^ after.alignments().Of(i));
    if (differs != 0) changed.push_back(i);
  }
  return changed;
}

optional<MovedRecords> MoveRecords(const Problem& problem,
                                   Span<const size_t> offsets,
                                   Span<const size_t> changed,
                                   const std::vector<bool>& is_fixed,
                                   size_t max_visits) {
  Mover mover(problem, offsets, is_fixed, max_visits);
  std::vector<size_t> list(changed.begin(), changed.end());
  if (!mover.Place(list)) return nullopt;
  return std::move(mover).Finish(offsets, std::move(list));
}

}  // namespace stowage
