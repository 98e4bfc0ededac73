// SPDX-License-Identifier: Apache-2.0
// Constructs plans under constraints in several ways and keeps the best one.
// The strategy `skyline` returns this plan, and `optimal` uses it as its
// incumbent. For a single way, use place_groups.h; without constraints, use
// Construct (construct.h).
#ifndef STOWAGE_SRC_CONSTRUCT_CONSTRUCT_GROUPS_H_
#define STOWAGE_SRC_CONSTRUCT_CONSTRUCT_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/optional.h"

namespace stowage::rigid {

// A plan of rigid groups.
struct Placing {
  std::vector<Level> starts;
  Level top = kNoLevel;
  std::string found_by;  // see Solution::found_by
};

struct GroupEffort {
  // The maximum number of checks of groups in all passes together, although the
  // first pass alone may exceed it. Also the maximum number of conflicting
  // pairs of pieces that are listed: if there are more, the ways of
  // construction that need this list are left out.
  uint64_t checks = uint64_t{12} << 20;
  // The number of random orders to try after the predefined ones.
  size_t sampled_orders = 0;
  uint64_t seed = 1;
  const StopSignal* stop = nullptr;  // is not owned, and may be null
};

// Constructs several plans. Returns the plan with the lowest top, or the first
// plan whose top is at most `enough`. Returns nullopt if no plan is found; this
// does not prove that no plan exists.
optional<Placing> ConstructGroups(const RigidGroups& groups,
                                  const Relation& relation, Level enough,
                                  const GroupEffort& effort);

// Returns the groups by decreasing size, and by index if the sizes are equal.
// This is the order of GREEDY_BY_SIZE.
std::vector<uint32_t> LargestFirst(const RigidGroups& groups);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_GROUPS_H_
