// SPDX-License-Identifier: Apache-2.0
// Places rigid groups if there is little room, that is, if their highest starts
// or the capacity are so low that none of the usual orders (construct_groups.h)
// results in a plan.
#ifndef STOWAGE_SRC_CONSTRUCT_PLACE_TIGHTLY_H_
#define STOWAGE_SRC_CONSTRUCT_PLACE_TIGHTLY_H_

#include <cstdint>
#include <vector>

#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/construct_groups.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {

// Looks for a plan within the capacity of the groups, in two steps. The first
// step makes repeated attempts to place the groups as PlaceGroupsLowest does.
// In each attempt, the groups that could not be placed in earlier attempts are
// placed before all other groups. The second step searches for the starts of
// the groups that have a highest start, or of all groups if there is a
// capacity, and places the other groups around them. The search is complete if
// it needs at most a few thousand nodes. Returns nullopt if there is no plan,
// or if no plan is found with a bounded amount of work. `conflicts` is the
// result of ListConflicts.
//
// Source: the attempts are those of Joslin and Clements, "Squeaky wheel
// optimization", 1999.
optional<Placing> PlaceTightly(const RigidGroups& groups,
                               const Relation& relation,
                               Span<const std::vector<uint32_t>> conflicts,
                               Span<const uint32_t> order);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_PLACE_TIGHTLY_H_
