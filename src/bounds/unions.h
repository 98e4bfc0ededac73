// SPDX-License-Identifier: Apache-2.0
// Unites groups of records that may lie in one place
// (Constraints::same_or_apart). The choice of which to unite is made by
// src/plan/group_choice.h.
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
  // The pairs of same_or_apart that lie in one place then, as indices in rising
  // order.
  std::vector<size_t> pairs;
  uint64_t copied = 0;  // the sum over these pairs
};

class Unions {
 public:
  // Begins with the groups of `places`, which has an entry for every record or
  // is empty. The problem must have constraints; it and `relation` must outlive
  // the object. O(n log n).
  Unions(const Problem& problem, const rigid::Relation& relation,
         Span<const RecordPlace> places);

  // Returns the units that may be united now and do not lie in one place
  // already, by falling number of bytes that need not be copied, and then by
  // their first pair. Leaves out those that only restrict the plan: those
  // without conflicts and without bytes to copy. O(pairs * log pairs + size of
  // the units of all pairs).
  std::vector<UnionCandidate> Candidates();

  // Unites the units of a pair so that its records lie in one place. Returns
  // true if they do so already. Returns false, and changes nothing, if the
  // units do not permit that: some of their records conflict and would share
  // bytes without being a pair in one place, or their alignments, fixed
  // offsets, ranges or pools contradict each other. Also returns false if the
  // units have so many records that a comparison takes too long.
  bool Unite(const SharedPlace& pair);

  // Returns whether the records of a pair are in one unit.
  bool AreInOneUnit(const SharedPlace& pair) const {
    return unit_of_[pair.first] == unit_of_[pair.second];
  }
  // Returns whether the records of a pair are in one unit, in one place.
  bool AreInOnePlace(const SharedPlace& pair) const;

  // Returns the sum of SharedPlace::copied over the pairs in one place.
  uint64_t Copied() const;

  // Returns the places with the units of now as groups. Ranges are those of the
  // places given at first.
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
  // The records of each unit, in the order of their first tasks. A unit that
  // has become a part of another has none.
  std::vector<std::vector<uint32_t>> members_;
  // The pairs, as the smaller and the larger record.
  flat_hash_set<uint64_t> is_pair_;
  // No record is raised or restricted, so that no union can be.
  bool has_room_anywhere_ = false;
  WorkLimit work_;
};

// Returns a problem that every choice of a problem with pairs of same_or_apart
// satisfies: pairs that may be united share any bytes, as those of `never` do,
// and all others are apart. It has no such pairs.
StatusOr<Problem> RelaxUnions(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_UNIONS_H_
