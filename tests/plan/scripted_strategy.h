// SPDX-License-Identifier: Apache-2.0
// Defines a strategy whose behavior is determined by a test.
#ifndef STOWAGE_TESTS_PLAN_SCRIPTED_STRATEGY_H_
#define STOWAGE_TESTS_PLAN_SCRIPTED_STRATEGY_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "stowage/strategy.h"

namespace stowage {

class ScriptedStrategy final : public Strategy {
 public:
  using Script = std::function<absl::StatusOr<Solution>(const Problem&,
                                                        const SolveOptions&)>;

  // Creates a strategy that calls `offsets` or `objects`, depending on the kind
  // of plan. A script may be null if the strategy does not make plans of that
  // kind.
  ScriptedStrategy(std::string name, FeatureSet features, Script offsets,
                   Script objects = nullptr)
      : offsets_(std::move(offsets)), objects_(std::move(objects)) {
    info_.name = std::move(name);
    info_.summary = "for a test";
    info_.complexity = "O(1)";
    info_.source = "own";
    info_.features = features;
  }

  const StrategyInfo& info() const override { return info_; }

  absl::StatusOr<Solution> Solve(const Problem& problem,
                                 const SolveOptions& options) const override {
    const Script& script =
        problem.kind() == PlanKind::kOffsets ? offsets_ : objects_;
    return script ? script(problem, options) : Solution();
  }

 private:
  StrategyInfo info_;
  Script offsets_;
  Script objects_;
};

inline FeatureSet OffsetsOnly() { return {Feature::kOffsets}; }

inline FeatureSet ObjectsOnly() { return {Feature::kObjects}; }

}  // namespace stowage

#endif  // STOWAGE_TESTS_PLAN_SCRIPTED_STRATEGY_H_
