// SPDX-License-Identifier: Apache-2.0
// Unites groups of records that may lie in one place
// (Constraints::same_or_apart). src/plan/group_choice.h chooses which groups to
// unite.
//
// A *unit* is a group, or a record that is in no group. Uniting two units makes
// one group of them, in which the two records of a pair have the same
// displacement.
#ifndef STOWAGE_SRC_BOUNDS_UNIONS_H_
#define STOWAGE_SRC_BOUNDS_UNIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/containers.h"
#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {

// Two units that may become one.
struct UnionCandidate {
  // The pairs of same_or_apart that lie in one place after the union, as
  // indices in rising order.
  std::vector<size_t> pairs;
  uint64_t copied = 0;  // SharedPlace::copied, summed over the pairs
};

class Unions {
 public:
  // Begins with the groups of `places`, which has an entry for every record or
  // is empty. The problem must have constraints; it and `relation` must outlive
  // the object. O(n log n).
  Unions(const Problem& problem, const rigid::Relation& relation,
         Span<const RecordPlace> places);

  // Returns the pairs of units that may be united now and do not lie in one
  // place already. Sorts them by falling number of bytes that need not be
  // copied, and then by their first pair of same_or_apart. Leaves out unions
  // that only restrict the plan, because they resolve no conflict and save no
  // copies. O(pairs * log pairs + size of the units of all pairs).
  std::vector<UnionCandidate> Candidates();

  // Unites the units of a pair so that its records lie in one place. Returns
  // true if the records lie in one place now, even if they did so before.
  // Returns false, and changes nothing, if the units do not permit the union:
  // some of their records conflict and would share bytes without being a pair
  // in one place, or their alignments, fixed offsets, ranges or pools
  // contradict each other. Also returns false if the units have so many records
  // that a comparison takes too long.
  bool Unite(const SharedPlace& pair);

  // Returns whether the records of a pair are in one unit.
  bool AreInOneUnit(const SharedPlace& pair) const {
    return unit_of_[pair.first] == unit_of_[pair.second];
  }
  // Returns whether the records of a pair are in one unit and lie in one place
  // there.
  bool AreInOnePlace(const SharedPlace& pair) const;

  // Returns the sum of SharedPlace::copied over the pairs in one place.
  uint64_t Copied() const;

  // Returns places whose groups are the current units. Ranges are those of the
  // places that were given to the constructor.
  std::vector<RecordPlace> Places() const;

 private:
  // The result of comparing two units.
  struct Comparison {
    bool is_permitted = false;
    bool conflicts = false;  // says whether some of their records conflict
  };

  // The distances by which two units are raised so that they unite.
  struct Shift {
    size_t first = 0;
    size_t second = 0;
  };

  Shift ShiftOf(const SharedPlace& pair) const;
  Comparison Compare(uint32_t first, uint32_t second, const Shift& shift);
  bool HasRoom(uint32_t first, uint32_t second, const Shift& shift) const;

  const Problem& problem_;
  const rigid::Relation& relation_;
  const std::vector<SharedPlace>& pairs_;
  std::vector<RecordPlace> places_;
  std::vector<uint32_t> unit_of_;  // by record
  // The records of each unit, in the order of their first tasks. The list is
  // empty for a unit that has become a part of another unit.
  std::vector<std::vector<uint32_t>> members_;
  // The pairs of same_or_apart. Each number stands for a pair.
  flat_hash_set<uint64_t> is_pair_;
  // True if no record is raised or restricted, so that every union has room.
  bool has_room_anywhere_ = false;
  WorkLimit work_;
};

// Returns a relaxation of a problem with pairs of same_or_apart: the plans of
// every choice of pairs are plans of this relaxation. If the records of a pair
// conflict and may be united, they may share any bytes, as a `never` pair may.
// All other pairs are treated like any two records. The relaxation has no pairs
// of same_or_apart.
StatusOr<Problem> RelaxUnions(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_UNIONS_H_
