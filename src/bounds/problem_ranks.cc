// SPDX-License-Identifier: Apache-2.0
// Implements the function of interval_ranks.h that has a Problem as its
// argument. The function is in a file of its own so that programs that do not
// use Problem need not link Problem.
#include "src/bounds/interval_ranks.h"
#include "src/model/derived_values.h"
#include "stowage/problem.h"

namespace stowage {

const IntervalRanks& RanksOf(const Problem& problem) {
  return problem.derived().Get<IntervalRanks>(
      DerivedValues::kRanks, [&] { return RankIntervals(problem.records()); });
}

}  // namespace stowage
