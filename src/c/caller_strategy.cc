// SPDX-License-Identifier: Apache-2.0
#include "src/c/caller_strategy.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/handles.h"
#include "src/c/plans.h"
#include "src/model/least_total.h"
#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/c/error.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::c_api {

Status ErrorOfStrategy(stowage_code code) {
  if (code < STOWAGE_OK || code > STOWAGE_UNAUTHENTICATED) {
    return InternalError(
        StrCat("strategy: returned ", code, "; expected a stowage_code"));
  }
  return Status(static_cast<StatusCode>(code),
                StrCat("strategy: returned ", stowage_code_name(code)));
}

Solution SolutionOfPlaces(const Problem& problem, std::vector<uint64_t> places,
                          std::vector<uint32_t> pools) {
  if (problem.kind() == PlanKind::kObjects) {
    return Solution(LeastObjects(problem, places));
  }
  OffsetsAssignment plan;
  plan.offsets = std::move(places);
  plan.pools = std::move(pools);
  plan.total_size =
      LeastTotal(problem, plan).value_or(std::numeric_limits<size_t>::max());
  return Solution(std::move(plan));
}

CallerStrategy::CallerStrategy(FeatureSet features,
                               stowage_strategy_fn function, void* context)
    : function_(function), context_(context) {
  info_.name = "caller";
  info_.summary = "a function provided by the caller";
  info_.complexity = "unknown";
  info_.source = "the caller";
  info_.features = features;
}

StatusOr<Solution> CallerStrategy::Solve(
    const Problem& problem, const SolveOptions& /*options*/) const {
  if (!failure_.ok()) return failure_;
  StatusOr<Solution> solution = Call(problem);
  if (!solution.ok()) failure_ = solution.status();
  return solution;
}

StatusOr<Solution> CallerStrategy::Call(const Problem& problem) const {
  const bool has_pools =
      problem.constraints() != nullptr && !problem.constraints()->pools.empty();
  std::vector<uint64_t> places(problem.size());
  std::vector<uint32_t> pools(has_pools ? problem.size() : 0);
  const stowage_problem handle(problem);
  stowage_code code = STOWAGE_OK;
  std::string thrown;
  CallBack(
      [&] {
        code = function_(context_, &handle, places.data(),
                         has_pools ? pools.data() : nullptr);
      },
      &thrown);
  if (!thrown.empty()) return InternalError(thrown);
  if (code != STOWAGE_OK) return ErrorOfStrategy(code);
  return SolutionOfPlaces(problem, std::move(places), std::move(pools));
}

}  // namespace stowage::c_api
