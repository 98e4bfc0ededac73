// SPDX-License-Identifier: Apache-2.0
// Decides which pieces of rigid groups must not share a byte: for one pair, or
// as a list of all such pairs. A bottom-left pass over many records uses
// LowestOffsets (lowest_offsets.h) instead, which needs no pairs.
#ifndef STOWAGE_SRC_BOUNDS_CONFLICTS_H_
#define STOWAGE_SRC_BOUNDS_CONFLICTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/containers.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage::rigid {

// The position of the users of a record relative to one chain of an order: the
// tasks of the chain before `begin` precede all users, and the tasks at or
// after `end` follow all users.
struct Window {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Sets `windows` to the positions of `users` relative to all chains, one window
// per chain. O(users * chains).
void FindWindows(const TaskOrder& order, Span<const TaskId> users,
                 Span<Window> windows);

// Returns the positions of a chain at which a record is held, or an empty
// interval if there are none. A record is held at a position if one of its
// users is at or before the task at that position, and one is at or after that
// task. All records that are held at one position conflict pairwise. O(users).
StepInterval HeldOnChain(const TaskOrder& order, Span<const TaskId> users,
                         size_t chain);

class Relation {
 public:
  // Requires a problem that has constraints and outlives the object.
  // O(constraints).
  explicit Relation(const Problem& problem);

  // Returns whether two records must not share a byte, either because they may
  // be live together or because they are in one apart set. For two records of
  // one group, only apart sets count. O(1), or O(users * chains) with an order.
  bool Conflict(uint32_t a, uint32_t b) const;
  // Returns what Conflict would return if no record were in a group.
  bool ConflictUngrouped(uint32_t a, uint32_t b) const;
  // Returns whether the record is in a `never` pair.
  bool HasPermissions(uint32_t record) const {
    return !NeverPartnersOf(record).empty();
  }
  // Returns the records that form a `never` pair with `record`.
  Span<const uint32_t> NeverPartnersOf(uint32_t record) const;
  // Returns the apart sets that contain `record`, as indices into
  // Constraints::apart.
  Span<const uint32_t> ApartSetsOf(uint32_t record) const;

 private:
  void ListNever();
  bool AreLiveTogether(uint32_t a, uint32_t b) const;
  bool AreApart(uint32_t a, uint32_t b) const;
  bool IsNever(uint32_t a, uint32_t b) const;

  const Problem& problem_;
  const Constraints& constraints_;
  // The `never` pairs, one number per pair. The smaller index of the pair is in
  // the high half of the number.
  flat_hash_set<uint64_t> never_;
  // For each record, the end of its partners in never_partners_. Empty if there
  // are no pairs.
  std::vector<uint32_t> never_ends_;
  std::vector<uint32_t> never_partners_;
  // For each record, the end of its sets in apart_sets_. Empty if there are no
  // sets.
  std::vector<uint32_t> apart_ends_;
  std::vector<uint32_t> apart_sets_;
};

// Lists, for each piece, the pieces of other groups with which it conflicts, in
// rising order. Returns nullopt if there are more than `max` pairs, or if
// `work` ends; one unit is a comparison of two pieces. With a partial order,
// all pairs are compared.
optional<std::vector<std::vector<uint32_t>>> ListConflicts(
    const RigidGroups& groups, const Relation& relation, size_t max,
    WorkLimit* work);

// Estimates the number of conflicting pairs, given the result of ListConflicts,
// which lists each pair for both of its pieces. The estimate is the sum of half
// the length of each list, rounded down. Use it to estimate the cost of a
// search, which visits these pairs at each of its nodes. O(pieces).
size_t EstimatePairs(Span<const std::vector<uint32_t>> conflicts);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_CONFLICTS_H_
