// SPDX-License-Identifier: Apache-2.0
// Chooses pools and packs each by construction: for strategies that do not
// search, and what a search has before it finds more. The choice alone, exact
// and without places, is SelectPools (pool_selection.h).
#ifndef STOWAGE_BODIES_CONSTRUCT_POOLS_H_
#define STOWAGE_BODIES_CONSTRUCT_POOLS_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/bodies/conflicts.h"
#include "src/bodies/pool_selection.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage::bodies {

struct PoolEffort {
  size_t states = 2048;  // PoolLimits::states
  // So many items that a pool is too small for are never all selected again;
  // where there are more, the capacity to select for is lowered by what was too
  // much.
  size_t most_in_nogood = 64;
  StopSignal stop;
};

struct PackedPools {
  OffsetsAssignment plan;
  std::string found_by;  // of one of them, as Solution::found_by
};

// A plan of a problem with pools whose items are `items`. Selects by what is
// live together, and packs; where a pool is too small for what was selected,
// selects again. Nothing if no selection is left, after 64 of them, or once the
// signal is set, which proves nothing. Error: ResourceExhausted above 2^60
// bytes.
absl::StatusOr<absl::optional<PackedPools>> ConstructPools(
    const Problem& problem, const Relation& relation,
    absl::Span<const PoolItem> items, const PoolEffort& effort);

// A plan at once, whatever it costs: all items in their cheapest pools without
// a capacity, packed without dives. Nothing if an item may be in none, or a
// pool cannot be packed so. Error: likewise.
absl::StatusOr<absl::optional<PackedPools>> ConstructInUnlimitedPools(
    const Problem& problem, const Relation& relation,
    absl::Span<const PoolItem> items, const StopSignal& stop);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_CONSTRUCT_POOLS_H_
