// SPDX-License-Identifier: Apache-2.0
#include "optimal/optimal.h"

#include <cstdint>
#include <memory>

#include "optimal/exact/search_log.h"
#include "optimal/limits.h"
#include "optimal/objects/class_log.h"
#include "optimal/objects/objects_search.h"
#include "optimal/search_offsets.h"
#include "src/base/work_limit.h"
#include "src/model/constraint_support.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"

namespace stowage::optimal {
namespace {

class Optimal final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "optimal";
      strategy->summary =
          "the smallest possible plan, or the best found within the time limit";
      strategy->complexity =
          "exponential in the worst case, within the time limit or node budget";
      strategy->source = "this project; Moffitt 2023 for the canonical search";
      strategy->features = {Feature::kOffsets,      Feature::kObjects,
                            Feature::kFixedOffsets, Feature::kPlaces,
                            Feature::kGroups,       Feature::kApart,
                            Feature::kPools,        Feature::kPartialOrder};
      strategy->is_search = true;
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& options) const override {
    if (problem.kind() == PlanKind::kObjects) {
      return ObjectsSearch(problem, options).Run();
    }
    if (problem.constraints() != nullptr) {
      return SolveUnderConstraints(info().name, problem, options);
    }
    return SearchOffsets(problem, options);
  }

  Status WriteSearchLog(const Problem& problem, const SearchProof& proof,
                        const WriteText& write) const override {
    return problem.kind() == PlanKind::kObjects
               ? WriteObjectsLog(problem, proof, write)
               : WriteOffsetsLog(problem, proof, write);
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() { return std::make_unique<Optimal>(); }

}  // namespace stowage::optimal
