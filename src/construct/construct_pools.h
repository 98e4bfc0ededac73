// SPDX-License-Identifier: Apache-2.0
// Selects pools and packs each of them by construction. Strategies that do not
// search use the result as their plan, and a search uses it as its first plan.
// To select pools exactly, without offsets, use SelectPools (pool_selection.h).
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
  // If the items that were selected for a pool do not fit it, and are at most
  // this many, no later selection puts all of them into that pool. If there are
  // more items, the excess is subtracted from the capacity that later
  // selections assume.
  size_t max_in_nogood = 64;
  // If true, a few quick selections are made at the end, which take much less
  // time than the selections before them.
  bool ends_quickly = false;
  StopSignal stop;           // ends all selections but the quick ones
  StopSignal stop_of_quick;  // ends the quick ones
};

struct PackedPools {
  OffsetsAssignment plan;
  std::string found_by;  // concerns the last pool; see Solution::found_by
};

// Returns a plan of a problem with pools; `items` are the items of the problem
// (PoolItemsOf). Selects a pool for each item, by the number of bytes that are
// live at the same time, and packs each pool. If a pool turns out to be too
// small for its items, makes another selection. After 64 selections, or once
// the signal is set, makes quick selections if `effort` asks for them. Returns
// nothing if none of the selections can be packed, or if no selection remains;
// this does not prove that there is no plan. Error: ResourceExhausted if sizes
// and places sum to more than 2^60 bytes.
StatusOr<optional<PackedPools>> ConstructPools(const Problem& problem,
                                               const Relation& relation,
                                               Span<const PoolItem> items,
                                               const PoolEffort& effort);

// Returns a plan quickly, however large it is. Each item goes to its cheapest
// pool without a capacity, and the pools are packed without bottom-left passes.
// Returns nothing if an item has no such pool, or if a pool cannot be packed
// without these passes. Errors: those of ConstructPools.
StatusOr<optional<PackedPools>> ConstructInUnlimitedPools(
    const Problem& problem, const Relation& relation,
    Span<const PoolItem> items, const StopSignal& stop);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_POOLS_H_
