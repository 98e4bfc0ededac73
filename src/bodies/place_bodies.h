// SPDX-License-Identifier: Apache-2.0
// Places bodies one after the other, in an order that is given or from the
// bottom up: the two ways to construct a plan under constraints. To try many
// and keep the best, use ConstructBodies (construct_bodies.h).
#ifndef STOWAGE_BODIES_PLACE_BODIES_H_
#define STOWAGE_BODIES_PLACE_BODIES_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/bodies/bodies.h"
#include "src/bodies/conflicts.h"
#include "src/core/work_limit.h"

namespace stowage::bodies {

// Whether the bodies that are fixed are in no hole, in their domains, and share
// no byte that they may not. O(n + k log n) for k pieces of them, and O(k) for
// a piece that shares bytes with another of its body.
bool FixedBodiesFit(const Bodies& bodies, const Relation& relation);

// Always places the body that can lie lowest above what is placed, the first of
// the order on ties: DiveInSkyline (skyline_dive.h) under constraints. Returns
// the starts; nothing if a body finds no place in its domain, none that ends
// below `limit`, or `work` ends: one unit is a look at a body. O(n log n) for
// short lifetimes.
absl::optional<std::vector<Level>> DiveBodies(const Bodies& bodies,
                                              const Relation& relation,
                                              absl::Span<const uint32_t> order,
                                              Level limit, WorkLimit* work);

// Places the bodies in the order, each at the lowest start at which it shares
// no byte with what is placed, below others too. `conflicts` is of
// ListConflicts. Requires FixedBodiesFit, as DiveBodies does. Returns as
// DiveBodies. O(conflicts * log conflicts).
absl::optional<std::vector<Level>> PlaceBodiesLowest(
    const Bodies& bodies, absl::Span<const std::vector<uint32_t>> conflicts,
    absl::Span<const uint32_t> order, Level limit, WorkLimit* work);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_PLACE_BODIES_H_
