// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/find_failure.h"

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/kit/failure_search.h"
#include "src/kit/family_rounds.h"
#include "src/kit/random_samples.h"
#include "src/kit/sides.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/testing/families.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/shrink.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {
namespace {

// A planner in this process and the properties for which it is checked.
template <typename Plan>
class PlannerInProcess : public PlannerUnderTest {
 public:
  PlannerInProcess(const PlannerFn<Plan>& planner,
                   Span<const PropertyOf<Plan>> properties, bool has_planned,
                   const std::atomic<bool>* cancelled)
      : planner_(Observe(planner)),
        properties_(properties),
        has_planned_(has_planned),
        cancelled_(cancelled) {}

  size_t property_count() const override { return properties_.size(); }

  PropertyVerdict CheckProperty(size_t property,
                                const ProblemSpec& spec) override {
    PropertyVerdict verdict;
    verdict.property = property;
    // The problem is recorded here because an empty planner is never called.
    asked_ = spec;
    verdict.status = properties_[property].check(planner_, spec);
    if (verdict.status.ok()) return verdict;
    verdict.found = spec;
    verdict.asked = Simplified(asked_);
    return verdict;
  }

  Status PlanSpec(const ProblemSpec& spec) override {
    return CallPlanner(planner_, spec).status();
  }

  bool has_planned() const override { return has_planned_; }

  bool must_stop() const override {
    return cancelled_ != nullptr && *cancelled_;
  }

 private:
  // Returns a function that calls the planner and stores its argument in
  // `asked_`.
  PlannerFn<Plan> Observe(const PlannerFn<Plan>& planner) {
    if (!planner) return {};
    return [this, &planner](const ProblemSpec& spec) {
      asked_ = spec;
      auto plan = planner(spec);
      if (plan.ok() && !spec.records.empty()) has_planned_ = true;
      return plan;
    };
  }

  const PlannerFn<Plan> planner_;
  Span<const PropertyOf<Plan>> properties_;
  bool has_planned_;  // says whether at least one record was planned
  const std::atomic<bool>* cancelled_;
  ProblemSpec asked_;  // the argument of the last call
};

// Searches with `options`. `first` is the number of the first trace of the
// search. A planner that plans none of the traces counts as a failure, unless
// `may_refuse_all` is set.
template <typename Plan>
optional<Failure> Find(const PlannerFn<Plan>& planner,
                       Span<const PropertyOf<Plan>> properties,
                       const FailureSearchOptions& options, size_t first,
                       bool may_refuse_all,
                       const std::atomic<bool>* cancelled) {
  PlannerInProcess<Plan> under_test(planner, properties, may_refuse_all,
                                    cancelled);
  PlannerUnderTest* const planners[] = {&under_test};
  SearchOutcome outcome = RunFailureSearch(planners, options);
  if (!outcome.failure) return nullopt;
  const size_t property = outcome.failure->property;
  const size_t trace = outcome.failure->trace;
  // The values for a planner that has planned no trace. If a property has
  // failed, they are replaced below by the values of that property.
  Failure failure{*std::move(outcome.failure), "planned",
                  "At least one trace is planned."};
  failure.traces = first + trace + 1;
  if (property < properties.size()) {
    failure.property = properties[property].name;
    failure.sentence = properties[property].sentence;
  } else {
    failure.status =
        InternalError(StrCat("the planner has planned none of the problems: ",
                             failure.status.ToString()));
  }
  return failure;
}

template <typename Plan>
optional<Failure> FindTrace(const PlannerFn<Plan>& planner,
                            const SearchForFailure& search,
                            Span<const PropertyOf<Plan>> properties) {
  // The maximum number of rounds of families for which the search continues
  // after a property has failed. In these rounds, it checks only the properties
  // before the failed one in the list, because they are simpler, and the
  // failure of a simpler property is more informative. A simpler property may
  // need larger traces to fail, because the failed property may have derived a
  // larger problem from its trace.
  constexpr size_t kRounds = 10;
  const FamilyRounds rounds(search.families, search.parameters,
                            search.max_alignment, search.large_size, 40);
  FailureSearchOptions options;
  options.traces = search.traces;
  options.make_trace = [&](size_t trace) {
    const size_t i = search.first + trace;
    // The number of samples grows from round to round, and restarts at 0 after
    // its maximum. Each round shifts the places of the traces by one, so that
    // large traces occur in all families.
    const size_t round = i / rounds.size();
    const size_t samples = round / 2 <= search.max_size
                               ? round / 2
                               : round / 2 % (search.max_size + 1);
    return rounds.MakeTrace(i, round + i % rounds.size(), search.seed + i,
                            samples);
  };
  options.round = kRounds * rounds.size();
  auto failure =
      Find(planner, properties, options, search.first, false, search.cancelled);
  if (!failure) return failure;
  failure->family = rounds.FamilyOf(failure->traces - 1);
  failure->seed = search.seed + failure->traces - 1;
  return failure;
}

}  // namespace

optional<Failure> FindFailure(const PlanFn& planner,
                              const SearchForFailure& search,
                              Span<const Property> properties) {
  return FindTrace(planner, search, properties);
}

optional<Failure> FindFailure(const ObjectsPlanFn& planner,
                              const SearchForFailure& search,
                              Span<const ObjectsProperty> properties) {
  SearchForFailure unaligned = search;
  unaligned.max_alignment = 1;
  return FindTrace(planner, unaligned, properties);
}

optional<Failure> FindFailure(const PlanFn& planner,
                              const SearchForProblem& search) {
  const std::vector<Property> properties =
      ProblemProperties(search.parameters.features);
  FailureSearchOptions options;
  options.traces = search.problems;
  options.make_trace = [&](size_t trace) {
    const size_t n = search.first + trace;
    return NthProblem(n, search.seed + n, 1 + n % search.max_size,
                      search.parameters);
  };
  options.round = 100;
  auto failure = Find(planner, MakeConstSpan(properties), options, search.first,
                      true, search.cancelled);
  if (failure) failure->seed = search.seed + failure->traces - 1;
  return failure;
}

namespace {

// Returns the records as text, or as a problem file if there are constraints.
std::string TextOf(const ProblemSpec& spec) {
  if (HasConstraints(spec)) {
    return FormatProblemJson(ToFile(spec)).value_or("");
  }
  std::string text;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    const ByteRecord& record = spec.records[i];
    StrAppend(&text, "tensor ", i, "   ", record.tensor_size,
              record.tensor_size == 1 ? " byte" : " bytes", ", tasks [",
              record.first_task, ", ", record.last_task, "]");
    if (!spec.alignments.empty()) {
      StrAppend(&text, ", alignment ", spec.alignments[i]);
    }
    StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace

std::string Describe(const Failure& failure) {
  std::string text = StrCat(
      "property   ", failure.property, ": ", failure.sentence, "\n",
      "violated   ", failure.status.message(), "\n", "found in   trace ",
      failure.traces, ", ",
      failure.family ? StrCat("of the family ", InfoOf(*failure.family).name)
                     : "a problem",
      " with seed ", failure.seed, ": ", failure.found.records.size(),
      " records, shrunk to ", failure.smallest.records.size(), "\n");
  if (failure.shrink_end == ShrinkEnd::kAttempts) {
    StrAppend(&text,
              "limit      shrinking ended at its limit: smaller traces "
              "may fail as well\n");
  }
  const std::string asked = TextOf(Simplified(failure.asked));
  if (asked != TextOf(Simplified(failure.smallest))) {
    StrAppend(&text, "changed    as the property has it, to ",
              failure.asked.records.size(), "\n");
  }
  return text + asked;
}

}  // namespace stowage::testing
