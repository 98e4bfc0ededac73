// SPDX-License-Identifier: Apache-2.0
#include "skyline/skyline.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "src/bounds/interval_ranks.h"
#include "src/construct/construct.h"
#include "src/model/constraint_support.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/lower_bound.h"

namespace stowage::skyline {
namespace {

// The maximum number of checks of records in Construct, which take about a
// second.
constexpr uint64_t kMaxChecks = uint64_t{12} << 20;

class Skyline final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "skyline";
      strategy->summary =
          "lowest place first in several orders; sweeps from the peak";
      strategy->complexity =
          "O(n log n) for short lifetimes, else at most 12 million visits of "
          "records";
      strategy->source =
          "Burke, Kendall and Whitwell 2004, for the bottom-left passes; this "
          "project";
      strategy->features = {Feature::kOffsets,     Feature::kFixedOffsets,
                            Feature::kPlaces,      Feature::kGroups,
                            Feature::kApart,       Feature::kPools,
                            Feature::kPartialOrder};
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& options) const override {
    if (problem.constraints() != nullptr) {
      return SolveUnderConstraints(info().name, problem, options);
    }
    OffsetsAssignment best = StackAll(problem);
    ConstructEffort effort;
    effort.checks = kMaxChecks;
    std::string found_by = "stack";
    effort.improved = [&](std::string name) { found_by = std::move(name); };
    Construct(problem, LowerBoundOf(problem).bytes, effort, &best);
    Solution solution(std::move(best));
    solution.found_by = std::move(found_by);
    return solution;
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() { return std::make_unique<Skyline>(); }

}  // namespace stowage::skyline
