// SPDX-License-Identifier: Apache-2.0
// Places rigid groups one after the other, in a given order or from the bottom
// up: the two ways to construct a plan under constraints. To try several plans
// and keep the best, use ConstructBodies (construct_bodies.h).
#ifndef STOWAGE_SRC_CONSTRUCT_PLACE_BODIES_H_
#define STOWAGE_SRC_CONSTRUCT_PLACE_BODIES_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/base/work_limit.h"
#include "src/bounds/bodies.h"
#include "src/bounds/conflicts.h"

namespace stowage::bodies {

// Returns whether the fixed groups are in their domains and in no hole, and
// share no byte that they may not share. O(n + k log n) for their k pieces, and
// O(k) for a piece that shares bytes with another one of its group.
bool FixedBodiesFit(const Bodies& bodies, const Relation& relation);

// A bottom-left pass: always places the group that can lie lowest above those
// placed so far, the first of the order on ties (DiveInSkyline, skyline_dive.h,
// under constraints). Returns the starts; nothing if a group has no position in
// its domain, or none that ends below `limit`, or if `work` ends: one unit is a
// visit of a group. O(n log n) for short lifetimes.
absl::optional<std::vector<Level>> DiveBodies(const Bodies& bodies,
                                              const Relation& relation,
                                              absl::Span<const uint32_t> order,
                                              Level limit, WorkLimit* work);

// Places the groups in the order, each at the lowest start at which it shares
// no byte with placed groups, which may be below others. `conflicts` is the
// result of ListConflicts. Requires FixedBodiesFit, as DiveBodies does, and
// returns the same. O(conflicts * log conflicts).
absl::optional<std::vector<Level>> PlaceBodiesLowest(
    const Bodies& bodies, absl::Span<const std::vector<uint32_t>> conflicts,
    absl::Span<const uint32_t> order, Level limit, WorkLimit* work);

}  // namespace stowage::bodies

#endif  // STOWAGE_SRC_CONSTRUCT_PLACE_BODIES_H_
