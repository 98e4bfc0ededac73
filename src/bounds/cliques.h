// SPDX-License-Identifier: Apache-2.0
// Finds cliques: sets of rigid groups that conflict pairwise, and thus need
// disjoint bytes. The bounds under constraints are derived from cliques.
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

// Returns the clique of `pieces`, which are piece numbers. Requires that the
// pieces conflict pairwise, except for pieces of one group and for `never`
// pairs. The clique contains only the larger piece of each `never` pair; among
// pieces of the same size, those with few partners are preferred. O(k log k +
// partners).
Clique CliqueOf(const RigidGroups& groups, const Relation& relation,
                std::vector<uint32_t> pieces);

// Calls `visit` with the pieces that are live at each step. With a partial
// order, calls it with the pieces that are held at each task instead: a piece
// is held at a task if its record is used both at or before the task and at or
// after the task. The pieces of one call conflict pairwise, except for `never`
// pairs and pieces of one group. Skips a set of pieces if the next set is a
// superset of it. Returns false if `work` ends first; one unit is a piece at a
// step.
bool VisitLive(
    const RigidGroups& groups,
    const std::function<void(TaskId task, Span<const uint32_t> pieces)>& visit,
    WorkLimit* work);

// Returns distinct cliques. Each clique begins with one piece and grows by
// adding the largest pieces that conflict with all pieces in it. Stops when
// `work` ends; one unit of work is a comparison of two pieces. O(conflicts *
// largest clique).
std::vector<Clique> GrowCliques(const RigidGroups& groups,
                                const Relation& relation,
                                Span<const std::vector<uint32_t>> conflicts,
                                WorkLimit* work);

// The largest lower bound that can be derived from cliques, from apart sets and
// from a partial order; 0 if no group has bytes.
struct GroupBound {
  Level bytes = 0;
  Clique clique;  // empty if the position of a single group proves it
  BoundProof proof = {BoundProof::Kind::kNoBytes};
};
GroupBound FindGroupBound(const RigidGroups& groups, const Relation& relation);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_CLIQUES_H_
