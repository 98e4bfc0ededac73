// SPDX-License-Identifier: Apache-2.0
// Unites groups of records that may share one place
// (Constraints::same_or_apart). src/plan/group_choice.h chooses which groups to
// unite.
//
// A *unit* is a group, or a record that is in no group. Uniting two units
// merges them into one group, in which the two records of a pair have the same
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
  // The pairs of same_or_apart that share one place after the union, as indices
  // in rising order.
  std::vector<size_t> pairs;
  uint64_t copied = 0;  // SharedPlace::copied, summed over the pairs
};

class Unions {
 public:
  // Begins with the groups of `places`, which has an entry for every record or
  // is empty. Requires a problem with constraints. `problem` and `relation`
  // must outlive the object. O(n log n).
  Unions(const Problem& problem, const rigid::Relation& relation,
         Span<const RecordPlace> places);

  // Returns the pairs of units that may be united now and are not in one place
  // already. Sorts them by decreasing number of bytes that need not be copied,
  // and then by their first pair of same_or_apart. Leaves out unions that would
  // only restrict the plan, because they resolve no conflict and save no
  // copies. O(pairs * log pairs + size of the units of all pairs).
  std::vector<UnionCandidate> Candidates();

  // Unites the units of a pair so that its two records share one place. Returns
  // true if the records share one place afterwards, even if they already did
  // before. Returns false, and changes nothing, if the units cannot be united:
  // either some of their records conflict and would share bytes without being a
  // pair in one place, or their alignments, fixed offsets, ranges or pools
  // contradict each other. Also returns false if the units have too many
  // records to be compared.
  bool Unite(const SharedPlace& pair);

  // Returns whether the records of a pair are in one unit.
  bool AreInOneUnit(const SharedPlace& pair) const {
    return unit_of_[pair.first] == unit_of_[pair.second];
  }
  // Returns whether the records of a pair are in one unit and share one place
  // in it.
  bool AreInOnePlace(const SharedPlace& pair) const;

  // Returns whether all units were compared that had to be. If not, Candidates
  // may lack some unions.
  bool has_compared_all() const { return work_.left() > 0; }

  // Returns the sum of SharedPlace::copied over all pairs that share one place.
  uint64_t Copied() const;

  // Returns places whose groups are the current units. The ranges are those of
  // the places that were passed to the constructor.
  std::vector<RecordPlace> Places() const;

 private:
  // The result of comparing two units.
  struct Comparison {
    bool is_permitted = false;
    bool conflicts = false;  // says whether some of their records conflict
  };

  // The distances by which two units are raised when they are united.
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
  // The records of each unit, sorted by first task. The list of a unit is empty
  // once the unit has become a part of another unit.
  std::vector<std::vector<uint32_t>> members_;
  // The pairs of same_or_apart, one number per pair.
  flat_hash_set<uint64_t> is_pair_;
  // True if no record is displaced or restricted, so every union has room.
  bool has_room_anywhere_ = false;
  WorkLimit work_;
};

// Returns a relaxation of a problem with same_or_apart pairs. Every plan of the
// problem, whichever pairs it unites, is also a plan of the relaxation. If the
// two records of a pair conflict and may be united, the relaxation lets them
// share any bytes, like the records of a `never` pair. It treats the records of
// all other pairs like any two records. The relaxation itself has no
// same_or_apart pairs.
StatusOr<Problem> RelaxUnions(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_UNIONS_H_
