// SPDX-License-Identifier: Apache-2.0
// Bodies that conflict pairwise, and so need room side by side: what bounds
// under constraints are made of.
#ifndef STOWAGE_BODIES_CLIQUES_H_
#define STOWAGE_BODIES_CLIQUES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/bodies/bodies.h"
#include "src/bodies/conflicts.h"
#include "src/core/work_limit.h"
#include "stowage/usage_record.h"

namespace stowage::bodies {

// The part of a body that is in a clique.
struct CliqueMember {
  uint32_t body = 0;
  Level at = 0;     // of its lowest byte, above the start
  Level bytes = 0;  // of the union of its pieces
};

struct Clique {
  std::vector<CliqueMember> members;
  std::vector<uint32_t> records;  // rising
  Level bytes = 0;                // of all members
  absl::optional<TaskId>
      task;  // at which all of them are live, if there is one
};

// The clique of some pieces, given by number, which conflict pairwise but for
// bodies and `never` pairs: of each such pair the larger is kept. O(k log k +
// partners).
Clique CliqueOf(const Bodies& bodies, const Relation& relation,
                std::vector<uint32_t> pieces);

// Calls `visit` with the pieces live at each step, or held at each task of an
// order: used before or at it, and at or after it. Pairwise they conflict, but
// for `never` pairs and bodies. Returns false if `work` ends before; one unit
// is a piece at a step. Lists are none that the next one contains.
bool VisitLive(
    const Bodies& bodies,
    const std::function<void(TaskId task, absl::Span<const uint32_t> pieces)>&
        visit,
    WorkLimit* work);

// Cliques around each piece, grown by the largest of its conflicts, without
// repetitions, until `work` ends: one unit is a comparison of two pieces.
// O(conflicts * largest clique).
std::vector<Clique> GrowCliques(
    const Bodies& bodies, const Relation& relation,
    absl::Span<const std::vector<uint32_t>> conflicts, WorkLimit* work);

// The least top that leaves so many bytes free below it, besides the holes that
// are there at the task (at any time if it is none).
Level TopAroundHoles(const Bodies& bodies, absl::optional<TaskId> task,
                     Level bytes);

// The heaviest of these, of apart sets, and what a partial order adds; nothing
// if there are no bodies with bytes.
struct BodyBound {
  Level bytes = 0;
  Clique clique;       // empty if a body's own place proves the bound
  std::string name;    // as LowerBound::name
  std::string reason;  // as LowerBound::reason
};
BodyBound FindBodyBound(const Bodies& bodies, const Relation& relation);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_CLIQUES_H_
