// SPDX-License-Identifier: Apache-2.0
// Places rigid groups one after another, either in a given order or from the
// bottom up. These are the two ways to construct a plan under constraints. To
// try several plans and keep the best one, use ConstructGroups
// (construct_groups.h).
#ifndef STOWAGE_SRC_CONSTRUCT_PLACE_GROUPS_H_
#define STOWAGE_SRC_CONSTRUCT_PLACE_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {

// Returns whether all fixed groups are in their domains and in no hole, and no
// two fixed groups that conflict share a byte. O(n + k log n) for the k pieces
// of these groups, plus O(k) for each piece that shares bytes with another
// piece of its group.
bool FixedGroupsFit(const RigidGroups& groups, const Relation& relation);

// Makes a bottom-left pass, like PlaceBottomLeft (bottom_left_pass.h) but under
// constraints. The next group is always the one that can be placed lowest above
// the placed groups, and the first one in `order` in case of a tie. Returns the
// starts. Returns nullopt if a group has no start in its domain at which it
// ends below `limit`, or if `work` ends; a unit of work is one check of a
// group, or of a piece that may be in its way. Requires FixedGroupsFit. O(n log
// n) for short lifetimes.
optional<std::vector<Level>> PlaceGroupsBottomLeft(const RigidGroups& groups,
                                                   const Relation& relation,
                                                   Span<const uint32_t> order,
                                                   Level limit,
                                                   WorkLimit* work);

// Returns the fixed groups, followed by the other groups by rising highest
// start. Groups with the same highest start, and groups without one, remain in
// the given order.
std::vector<uint32_t> LimitedFirst(const RigidGroups& groups,
                                   Span<const uint32_t> order);

// The start of a group that has not been placed yet.
constexpr Level kUnplaced = -1;

// Places the groups of `order` one after another, each at its lowest feasible
// start, which may be below placed groups. A start is feasible if it is in the
// domain of the group, the group ends below `limit`, and the group shares no
// byte with a placed group that conflicts with it. `conflicts` is the result of
// ListConflicts. `starts` has the starts of all groups. Requires that it has
// kUnplaced for the groups of `order`, and for all other groups that should be
// ignored. Stops at the first group without a feasible start, or when `work`
// ends. Returns the number of groups that have been placed. O(conflicts * log
// conflicts).
size_t PlaceInOrder(const RigidGroups& groups,
                    Span<const std::vector<uint32_t>> conflicts,
                    Span<const uint32_t> order, Level limit, WorkLimit* work,
                    std::vector<Level>* starts);

// Places all groups by PlaceInOrder, in the order of LimitedFirst. Returns
// nullopt in the same cases as PlaceGroupsBottomLeft. Requires FixedGroupsFit.
optional<std::vector<Level>> PlaceGroupsLowest(
    const RigidGroups& groups, Span<const std::vector<uint32_t>> conflicts,
    Span<const uint32_t> order, Level limit, WorkLimit* work);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_PLACE_GROUPS_H_
