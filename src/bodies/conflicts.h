// SPDX-License-Identifier: Apache-2.0
// Which pieces of bodies may share no byte, asked pair by pair or listed. A
// dive over many records asks neither: it uses Floors (floors.h).
#ifndef STOWAGE_BODIES_CONFLICTS_H_
#define STOWAGE_BODIES_CONFLICTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/bodies/bodies.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/problem.h"

namespace stowage::bodies {

// Where the users of a record are on each chain of an order: the tasks before
// `begin` precede all of them, those from `end` on follow all of them.
struct Window {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// One window for each chain. O(users * chains).
void FindWindows(const TaskOrder& order, absl::Span<const TaskId> users,
                 absl::Span<Window> windows);

// Where on a chain a record is held: used before or at a position, and at or
// after it. Empty if it is held nowhere there. All records that are held at a
// position conflict pairwise. O(users).
StepInterval HeldOnChain(const TaskOrder& order, absl::Span<const TaskId> users,
                         size_t chain);

class Relation {
 public:
  // The problem must outlive the object, and has constraints. O(constraints).
  explicit Relation(const Problem& problem);

  // Whether two records share no byte because they may be live together or are
  // apart; of one group only the latter. O(1), or O(users * chains) with an
  // order.
  bool Conflict(uint32_t a, uint32_t b) const;
  // Whether a `never` pair has the record.
  bool HasPermissions(uint32_t record) const {
    return !NeverPartnersOf(record).empty();
  }
  // The records that it makes a `never` pair with.
  absl::Span<const uint32_t> NeverPartnersOf(uint32_t record) const;
  // By index, of Constraints::apart.
  absl::Span<const uint32_t> ApartSetsOf(uint32_t record) const;

 private:
  void ListNever();
  bool AreLiveTogether(uint32_t a, uint32_t b) const;
  bool AreApart(uint32_t a, uint32_t b) const;

  const Problem& problem_;
  const Constraints& constraints_;
  absl::flat_hash_set<uint64_t> never_;  // the lesser index in the high half
  std::vector<uint32_t> never_ends_;     // by record; empty without pairs
  std::vector<uint32_t> never_partners_;
  std::vector<uint32_t> apart_ends_;  // by record; empty without sets
  std::vector<uint32_t> apart_sets_;
};

// The pieces that each piece of the bodies conflicts with, rising: pieces of
// other bodies only. Nothing if there are more than `most` pairs, or `work`
// ends: one unit is a pair looked at; with an order, all are.
absl::optional<std::vector<std::vector<uint32_t>>> ListConflicts(
    const Bodies& bodies, const Relation& relation, size_t most,
    WorkLimit* work);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_CONFLICTS_H_
