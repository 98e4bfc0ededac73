// SPDX-License-Identifier: Apache-2.0
// Implements the function of interval_ranks.h that takes a problem. This
// function is in a separate file, so that programs that use no Problem need not
// link it.
#include "src/bounds/interval_ranks.h"
#include "src/model/derived_values.h"
#include "stowage/problem.h"

namespace stowage {

const IntervalRanks& RanksOf(const Problem& problem) {
  return problem.derived().Get<IntervalRanks>(
      DerivedValues::kRanks, [&] { return RankIntervals(problem.records()); });
}

}  // namespace stowage
