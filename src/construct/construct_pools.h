// SPDX-License-Identifier: Apache-2.0
// Selects pools and packs each pool by construction. Strategies that do not
// search use the result as their plan; a search uses it as its first plan. To
// select pools exactly, but without offsets, use SelectPools
// (pool_selection.h).
#ifndef STOWAGE_SRC_CONSTRUCT_CONSTRUCT_POOLS_H_
#define STOWAGE_SRC_CONSTRUCT_CONSTRUCT_POOLS_H_

#include <cstddef>
#include <string>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/pool_selection.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"

namespace stowage::rigid {

struct PoolEffort {
  size_t states = 2048;  // see PoolLimits::states
  // The maximum size of a nogood. If the items selected for a pool do not fit
  // and are at most this many, no later selection puts all of them into that
  // pool. If there are more items, the excess is subtracted from the capacity
  // that later selections assume.
  size_t max_in_nogood = 64;
  // If true, quick selections are made as well: some by density at the
  // beginning, and some at the end if there is no plan until then. Those at the
  // end take much less time than the other selections.
  bool selects_quickly = false;
  StopSignal stop;           // ends all selections but those at the end
  StopSignal stop_of_quick;  // ends those at the end
};

struct PackedPools {
  OffsetsAssignment plan;
  std::string found_by;  // concerns the last pool; see Solution::found_by
};

// Returns a plan of a problem with pools. `items` are the items of the problem
// (PoolItemsOf). Selects a pool for each item, by the number of bytes that are
// live at the same time, and packs each pool. If a pool turns out to be too
// small for its items, makes another selection, up to 64 times. If `effort`
// requests quick selections, returns the best plan of all. Returns nullopt if
// none of the selections can be packed, or if no selection remains; this does
// not prove that no plan exists. Error: ResourceExhausted if sizes and places
// sum to more than 2^60 bytes.
StatusOr<optional<PackedPools>> ConstructPools(const Problem& problem,
                                               const Relation& relation,
                                               Span<const PoolItem> items,
                                               const PoolEffort& effort);

// Quickly returns a plan, which may have any size. Puts each item into its
// cheapest pool without a capacity, and packs the pools without bottom-left
// passes. Returns nullopt if an item has no such pool, or if a pool cannot be
// packed without these passes. Errors: those of ConstructPools.
StatusOr<optional<PackedPools>> ConstructInUnlimitedPools(
    const Problem& problem, const Relation& relation,
    Span<const PoolItem> items, const StopSignal& stop);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_POOLS_H_
