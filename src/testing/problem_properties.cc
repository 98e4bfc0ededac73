// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/problem_properties.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/testing/problem_transforms.h"
#include "src/testing/sides.h"
#include "src/testing/transforms.h"
#include "stowage/assignment.h"
#include "stowage/feature.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/testing/instance.h"
#include "stowage/verify.h"

namespace stowage::testing {
namespace {

// Returns the feature that a violation concerns, or kOffsets if the violation
// is one of a rule that every plan must keep.
Feature FeatureOf(Violation::Kind kind) {
  switch (kind) {
    case Violation::Kind::kNotAtFixedOffset:
      return Feature::kFixedOffsets;
    case Violation::Kind::kOutsideRange:
    case Violation::Kind::kInHole:
      return Feature::kPlaces;
    case Violation::Kind::kGroupBroken:
      return Feature::kGroups;
    case Violation::Kind::kNotApart:
      return Feature::kApart;
    case Violation::Kind::kWrongPool:
    case Violation::Kind::kBeyondPool:
      return Feature::kPools;
    case Violation::Kind::kUnorderedSharing:
      return Feature::kPartialOrder;
    default:
      return Feature::kOffsets;
  }
}

absl::StatusOr<OffsetsAssignment> CallPlanner(const ProblemPlanFn& planner,
                                              const Problem& problem) {
  if (!planner) return NoPlanner();
  return CallWithCopy<OffsetsAssignment>(
      [&](const Instance& copy) -> absl::StatusOr<OffsetsAssignment> {
        const absl::StatusOr<Problem> again = Problem::Create(SpecOf(copy));
        if (!again.ok()) return again.status();
        return planner(*again);
      },
      MakeInstance(problem));
}

// Checks the plan of the instance with `judge(problem, plan)`. Returns OK if
// there is no plan.
template <typename JudgeFn>
absl::Status JudgeProblem(const ProblemPlanFn& planner,
                          const Instance& instance, const JudgeFn& judge) {
  const absl::StatusOr<Problem> problem = Problem::Create(SpecOf(instance));
  if (!problem.ok()) {
    return absl::InvalidArgumentError(problem.status().message());
  }
  const auto plan = CallPlanner(planner, *problem);
  return plan.ok() ? judge(*problem, *plan) : absl::OkStatus();
}

absl::Status PlansAll(const ProblemPlanFn& planner, const Instance& instance) {
  const absl::StatusOr<Problem> problem = Problem::Create(SpecOf(instance));
  if (!problem.ok()) {
    return absl::InvalidArgumentError(problem.status().message());
  }
  const auto plan = CallPlanner(planner, *problem);
  if (!IsWrongRefusal(plan.status(), instance)) return absl::OkStatus();
  return Violated(RefusalText(plan.status()));
}

template <Feature kFeature>
absl::Status Honours(const ProblemPlanFn& planner, const Instance& instance) {
  return JudgeProblem(
      planner, instance,
      [](const Problem& problem, const OffsetsAssignment& plan) {
        const auto violation = FindViolation(problem, plan);
        if (!violation || FeatureOf(violation->kind) != kFeature) {
          return absl::OkStatus();
        }
        return Violated(Describe(*violation, problem));
      });
}

absl::Status PlansAlike(const ProblemPlanFn& planner,
                        const Instance& instance) {
  return JudgeProblem(
      planner, instance,
      [&](const Problem& problem, const OffsetsAssignment& plan) {
        const auto again = CallPlanner(planner, problem);
        if (again.ok() && again->offsets == plan.offsets &&
            again->pools == plan.pools &&
            again->total_size == plan.total_size) {
          return absl::OkStatus();
        }
        return Violated("the same problem has another plan, or none");
      });
}

// Checks that the plan of a derived problem is also a plan of the instance,
// after its records are put back in their order.
absl::Status PlansDerived(const ProblemPlanFn& planner,
                          const Instance& instance, const Instance& derived,
                          absl::Span<const size_t> order,
                          absl::string_view how) {
  const absl::StatusOr<Problem> problem = Problem::Create(SpecOf(instance));
  if (!problem.ok()) {
    return absl::InvalidArgumentError(problem.status().message());
  }
  return JudgeProblem(
      planner, derived,
      [&](const Problem& other, const OffsetsAssignment& plan) {
        if (const auto violation = FindViolation(other, plan)) {
          return Violated("with ", how, ": ", Describe(*violation, other));
        }
        OffsetsAssignment restored = plan;
        for (size_t k = 0; k < order.size(); ++k) {
          restored.offsets[order[k]] = plan.offsets[k];
          if (!plan.pools.empty()) restored.pools[order[k]] = plan.pools[k];
        }
        if (const auto violation = FindViolation(*problem, restored)) {
          return Violated("with ", how,
                          " undone: ", Describe(*violation, *problem));
        }
        return absl::OkStatus();
      });
}

absl::Status Reversal(const ProblemPlanFn& planner, const Instance& instance) {
  std::vector<size_t> order(instance.records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return PlansDerived(planner, instance, ReversedProblem(instance), order,
                      "execution reversed");
}

absl::Status Relabelling(const ProblemPlanFn& planner,
                         const Instance& instance) {
  const std::vector<size_t> order = ShuffledOrder(instance.records.size());
  return PlansDerived(planner, instance,
                      ProblemOfRecords(WithTasksRenumbered(instance), order),
                      order, "records, tasks and streams in another order");
}

struct Claimed {
  Feature feature;
  ProblemProperty property;
};

constexpr Claimed kOfFeatures[] = {
    {Feature::kFixedOffsets,
     {"fixed_offsets", "Records with a fixed offset lie there.",
      Honours<Feature::kFixedOffsets>}},
    {Feature::kPlaces,
     {"places", "Records lie in their ranges, and outside of holes.",
      Honours<Feature::kPlaces>}},
    {Feature::kGroups,
     {"groups", "Records of a group have their displacements.",
      Honours<Feature::kGroups>}},
    {Feature::kApart,
     {"apart", "Records that are apart share no byte, whenever they live.",
      Honours<Feature::kApart>}},
    {Feature::kPools,
     {"pools", "Records lie in a pool that they may use, within its capacity.",
      Honours<Feature::kPools>}},
    {Feature::kPartialOrder,
     {"partial_order", "Tasks that are not ordered share no byte.",
      Honours<Feature::kPartialOrder>}},
};

}  // namespace

ProblemPlanFn StrategyProblemPlanFn(std::string strategy,
                                    SolveOptions options) {
  return [strategy = std::move(strategy), options = std::move(options)](
             const Problem& problem) -> absl::StatusOr<OffsetsAssignment> {
    absl::StatusOr<Solution> solution = Solve(problem, strategy, options);
    if (!solution.ok()) return solution.status();
    if (!solution->has_plan()) {
      return absl::OutOfRangeError("the strategy has found no plan");
    }
    return *solution->offsets();
  };
}

std::vector<ProblemProperty> ProblemProperties(FeatureSet claims) {
  std::vector<ProblemProperty> properties = {
      {"problem_completeness", "Every problem that can be planned has a plan.",
       PlansAll}};
  for (const Claimed& claimed : kOfFeatures) {
    if (claims.Has(claimed.feature)) properties.push_back(claimed.property);
  }
  properties.insert(
      properties.end(),
      {{"problem_safety",
        "Plans of problems are aligned, and records that conflict share no "
        "byte.",
        Honours<Feature::kOffsets>},
       {"problem_determinism", "The same problem has the same plan.",
        PlansAlike},
       {"problem_reversal",
        "With execution reversed a problem has a plan that it may keep.",
        Reversal},
       {"problem_relabelling",
        "With records, tasks and streams in another order a problem has a plan "
        "that it may keep.",
        Relabelling}});
  return properties;
}

}  // namespace stowage::testing
