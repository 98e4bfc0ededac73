// SPDX-License-Identifier: Apache-2.0
// Finds cliques: sets of rigid groups that conflict pairwise, and thus need
// disjoint bytes. The bounds under constraints follow from cliques.
#ifndef STOWAGE_SRC_BOUNDS_CLIQUES_H_
#define STOWAGE_SRC_BOUNDS_CLIQUES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/span.h"
#include "stowage/bound_proof.h"
#include "stowage/lower_bound.h"
#include "stowage/usage_record.h"

namespace stowage::rigid {

// The part of a rigid group that is in a clique.
struct CliqueMember {
  uint32_t group = 0;
  Level at = 0;     // lowest byte, above the start
  Level bytes = 0;  // size of the union of its pieces
};

struct Clique {
  std::vector<CliqueMember> members;
  std::vector<uint32_t> records;  // indices, in rising order
  Level bytes = 0;                // sum over all members
};

// Returns the clique of some pieces, which are given by their numbers. Requires
// that they conflict pairwise, except for pieces of one group and for `never`
// pairs. Of each `never` pair, only the larger piece is put into the clique;
// among pieces of one size, those with few partners are preferred. O(k log k +
// partners).
Clique CliqueOf(const RigidGroups& groups, const Relation& relation,
                std::vector<uint32_t> pieces);

// Calls `visit` with the pieces that are live at each step. With a partial
// order, calls it with the pieces that are held at each task: a piece is held
// if its record is used both at or before the task and at or after it. The
// pieces of a call conflict pairwise, except for `never` pairs and within a
// group. A set of pieces is skipped if the next set contains all of it. Returns
// false if `work` ends first; one unit is a piece at a step.
bool VisitLive(
    const RigidGroups& groups,
    const std::function<void(TaskId task, Span<const uint32_t> pieces)>& visit,
    WorkLimit* work);

// Returns different cliques. Each clique begins with one piece and grows by the
// largest pieces that conflict with it. Stops when `work` ends; one unit of
// work is a comparison of two pieces. O(conflicts * largest clique).
std::vector<Clique> GrowCliques(const RigidGroups& groups,
                                const Relation& relation,
                                Span<const std::vector<uint32_t>> conflicts,
                                WorkLimit* work);

// The largest lower bound that follows from cliques, from apart sets and from a
// partial order; 0 if no group has bytes.
struct GroupBound {
  Level bytes = 0;
  Clique clique;  // empty if the position of a single group proves it
  BoundProof proof = {BoundProof::Kind::kNoBytes};
};
GroupBound FindGroupBound(const RigidGroups& groups, const Relation& relation);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_CLIQUES_H_
