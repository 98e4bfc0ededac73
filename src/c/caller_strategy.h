// SPDX-License-Identifier: Apache-2.0
// Defines a strategy that calls a function provided by the caller.
#ifndef STOWAGE_SRC_C_CALLER_STRATEGY_H_
#define STOWAGE_SRC_C_CALLER_STRATEGY_H_

#include <cstdint>
#include <vector>

#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/c/error.h"
#include "stowage/c/solve.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::c_api {

// Returns the error for a code that the caller's strategy has returned.
// Requires a code other than STOWAGE_OK.
Status ErrorOfStrategy(stowage_code code);

// Returns the plan that the caller's strategy has made: the place of each
// record and, if there are pools, the pool of each record. The plan is not
// verified. If the total exceeds 2^64 - 1, it is set to 2^64 - 1, which no
// verifier accepts.
Solution SolutionOfPlaces(const Problem& problem, std::vector<uint64_t> places,
                          std::vector<uint32_t> pools);

class CallerStrategy : public Strategy {
 public:
  CallerStrategy(FeatureSet features, stowage_strategy_fn function,
                 void* context);

  const StrategyInfo& info() const override { return info_; }

  // Errors: the code that the function returns; Internal if the function throws
  // or returns a number that is not a code. After an error, the function is not
  // called again.
  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& options) const override;

  // Returns the first error, or OK if there was no error. This is needed
  // because a planner may continue after an error of this strategy, for example
  // with an incumbent.
  const Status& failure() const { return failure_; }

 private:
  StatusOr<Solution> Call(const Problem& problem) const;

  StrategyInfo info_;
  stowage_strategy_fn function_;
  void* context_;
  mutable Status failure_;
};

}  // namespace stowage::c_api

#endif  // STOWAGE_SRC_C_CALLER_STRATEGY_H_
