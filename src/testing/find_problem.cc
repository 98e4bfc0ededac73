// SPDX-License-Identifier: Apache-2.0
// Searches for a problem on which a planner in this process fails.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "src/testing/failure_search.h"
#include "src/testing/problem_search.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/problem_properties.h"
#include "stowage/testing/random_problems.h"

namespace stowage::testing {
namespace {

// A planner of problems in this process, with its properties.
class ProblemPlannerInProcess : public PlannerUnderTest {
 public:
  ProblemPlannerInProcess(const ProblemPlanFn& planner, FeatureSet claims)
      : planner_(Observe(planner)), properties_(ProblemProperties(claims)) {}

  const std::vector<ProblemProperty>& properties() const { return properties_; }

  size_t property_count() const override { return properties_.size(); }

  PropertyVerdict CheckProperty(size_t property,
                                const Instance& instance) override {
    PropertyVerdict verdict;
    verdict.property = property;
    // An empty function is never called, so the instance is recorded in
    // advance.
    asked_ = instance;
    verdict.status = properties_[property].check(planner_, instance);
    if (verdict.status.ok()) return verdict;
    verdict.found = instance;
    verdict.asked = asked_;
    return verdict;
  }

  absl::Status PlanInstance(const Instance& instance) override {
    const absl::StatusOr<Problem> problem = Problem::Create(SpecOf(instance));
    return problem.ok() ? planner_(*problem).status() : problem.status();
  }

  // The planner may refuse all problems as Unimplemented. The search checks
  // what it claims, not that it plans anything.
  bool has_planned() const override { return true; }

 private:
  // Returns a function that calls the planner and remembers its argument.
  ProblemPlanFn Observe(const ProblemPlanFn& planner) {
    if (!planner) return {};
    return [this, &planner](const Problem& problem) {
      asked_ = MakeInstance(problem);
      return planner(problem);
    };
  }

  const ProblemPlanFn planner_;
  const std::vector<ProblemProperty> properties_;
  Instance asked_;  // argument of the last call
};

}  // namespace

Instance NthProblem(size_t n, uint64_t seed, size_t size,
                    const ProblemParameters& parameters) {
  std::vector<FeatureSet> sets;
  for (const Feature feature : kAllFeatures) {
    if (parameters.features.Has(feature)) sets.push_back({feature});
  }
  sets.push_back(parameters.features);
  ProblemParameters some = parameters;
  some.features = sets[n % sets.size()];
  return RandomProblem(seed, size, some);
}

absl::optional<ProblemFailure> FindFailure(const ProblemPlanFn& planner,
                                           const SearchForProblem& search) {
  // The number of problems in a round. After a failure, the properties that
  // come before the failed property are tried on the remaining problems of the
  // round, because the failure of an earlier property says more.
  constexpr size_t kRound = 100;
  ProblemPlannerInProcess under_test(planner, search.parameters.features);
  PlannerUnderTest* const planners[] = {&under_test};
  FailureSearchOptions options;
  options.traces = search.problems;
  options.make_trace = [&](size_t n) {
    return NthProblem(n, search.seed + n, 1 + n % search.max_size,
                      search.parameters);
  };
  options.round = kRound;
  SearchOutcome outcome = RunFailureSearch(planners, options);
  if (!outcome.failure) return absl::nullopt;
  SearchFailure& found = *outcome.failure;
  ProblemFailure failure;
  failure.property = under_test.properties()[found.property].name;
  failure.sentence = under_test.properties()[found.property].sentence;
  failure.problems = found.trace + 1;
  failure.found = std::move(found.found);
  failure.smallest = std::move(found.smallest);
  failure.asked = std::move(found.asked);
  failure.status = std::move(found.status);
  failure.shrink_end = found.shrink_end;
  return failure;
}

}  // namespace stowage::testing
