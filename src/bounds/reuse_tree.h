// SPDX-License-Identifier: Apache-2.0
// Raises the lower bound of the cost of pairs by a search over cases. Use this
// search for few records, if BoundReuse (reuse_bound.h) leaves a small gap to
// the cost of a plan. The search is not part of a certificate, which has only
// the cliques of BoundReuse.
#ifndef STOWAGE_SRC_BOUNDS_REUSE_TREE_H_
#define STOWAGE_SRC_BOUNDS_REUSE_TREE_H_

#include <cstddef>
#include <cstdint>

#include "src/base/work_limit.h"
#include "src/bounds/reuse_bound.h"
#include "stowage/problem.h"

namespace stowage {

// The maximum number of records for which the search over cases is worth its
// time.
constexpr size_t kMaxRecordsOfCases = 30;

// Returns a lower bound of the cost that pairs of records in different groups
// pay. The bound is at least that of `root`, the result of BoundReuse, and at
// most `enough`. Repeatedly splits the case with the lowest bound into two
// cases: in one of them, a pair is kept apart; in the other, the pair pays and
// may share. Stops once no plan can cost less than `enough`, after 64 cases, or
// once the signal is set; `stop` may be null. Unless the signal is set, the
// result depends only on the other arguments. Requires a problem with
// constraints and without pools.
uint64_t BoundReuseByCases(const Problem& problem, const ReuseBound& root,
                           uint64_t enough, const StopSignal* stop);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_REUSE_TREE_H_
