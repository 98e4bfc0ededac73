// Finds the records of a changing set that conflict with an interval, without
// a conflict graph: memory is linear in the records.
//
// Records stand in order of their first step, and a tree over them knows the
// latest end in each part. A query walks only the parts that begin before the
// interval ends and in which something ends after it begins.
//
// Source: McCreight, "Priority search trees" (1985), kept static in one
// dimension.
#ifndef STOWAGE_CORE_CONFLICT_INDEX_H_
#define STOWAGE_CORE_CONFLICT_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"

namespace stowage {

class ConflictIndex {
 public:
  // No record is in the set. `intervals` must outlive the index. O(n log n).
  explicit ConflictIndex(absl::Span<const StepInterval> intervals);

  // O(log n) each.
  void Insert(size_t record) { Set(position_[record], intervals_[record].end); }
  void Erase(size_t record) { Set(position_[record], kAbsent); }

  // Calls visit(record) for each record of the set that conflicts with
  // `interval`, by first step. The set must not change meanwhile.
  // O(k log n) for k records found.
  template <typename Visit>
  void ForEachConflict(StepInterval interval, Visit visit) const {
    const size_t count = static_cast<size_t>(
        std::lower_bound(begins_.begin(), begins_.end(), interval.end) -
        begins_.begin());
    if (count > 0) VisitNode(1, 0, leaves_, count, interval.begin, visit);
  }

 private:
  static constexpr uint32_t kAbsent = 0;  // no interval ends at step 0
  static constexpr size_t kBlock = 8;     // records under one leaf of the tree

  void Set(size_t position, uint32_t end);

  // Visits the records at positions below `count` under `node`, which covers
  // `width` blocks from block `first`, if they end after `begin`.
  template <typename Visit>
  void VisitNode(size_t node, size_t first, size_t width, size_t count,
                 uint32_t begin, Visit& visit) const {
    if (latest_[node] <= begin || first * kBlock >= count) return;
    if (width == 1) {
      const size_t stop = std::min(count, (first + 1) * kBlock);
      for (size_t p = first * kBlock; p < stop; ++p) {
        if (ends_[p] > begin) visit(size_t{records_[p]});
      }
      return;
    }
    VisitNode(2 * node, first, width / 2, count, begin, visit);
    VisitNode(2 * node + 1, first + width / 2, width / 2, count, begin, visit);
  }

  absl::Span<const StepInterval> intervals_;
  std::vector<uint32_t> records_;   // by first step
  std::vector<uint32_t> begins_;    // of records_, for bisection
  std::vector<uint32_t> ends_;      // of records_ in the set, else kAbsent
  std::vector<uint32_t> position_;  // of every record in records_
  std::vector<uint32_t> latest_;    // of every node: maximum of ends_
  size_t leaves_ = 1;
};

}  // namespace stowage

#endif  // STOWAGE_CORE_CONFLICT_INDEX_H_
