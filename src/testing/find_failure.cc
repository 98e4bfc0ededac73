// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/find_failure.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/testing/failure_search.h"
#include "src/testing/random_draws.h"
#include "src/testing/sides.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/random_records.h"

namespace stowage::testing {
namespace {

absl::Status Check(const Property& property, const PlanFn& planner,
                   absl::Span<const ByteRecord> records,
                   const Alignments& alignments) {
  return property.check(planner, records, alignments);
}

absl::Status Check(const ObjectsProperty& property,
                   const ObjectsPlanFn& planner,
                   absl::Span<const ByteRecord> records,
                   const Alignments& /*alignments*/) {
  return property.check(planner, records);
}

// The property that the planner plans anything at all. All other properties
// hold if nothing is planned.
constexpr PropertyText kPlanned = {"planned", "Some trace is planned."};

// A planner in this process, with its properties.
template <typename Side, typename P>
class PlannerInProcess : public PlannerUnderTest {
 public:
  PlannerInProcess(const typename Side::Fn& planner,
                   absl::Span<const P> properties)
      : planner_(Observe(planner)), properties_(properties) {}

  size_t property_count() const override { return properties_.size(); }

  PropertyVerdict CheckProperty(size_t property,
                                const Instance& instance) override {
    PropertyVerdict verdict;
    verdict.property = property;
    // An empty function is never called, so the instance is recorded in
    // advance.
    asked_ = instance;
    verdict.status = Check(properties_[property], planner_, instance.records,
                           instance.alignment());
    if (verdict.status.ok()) return verdict;
    verdict.found = instance;
    verdict.asked = asked_;
    return verdict;
  }

  absl::Status PlanInstance(const Instance& instance) override {
    return Side::CallPlanner(planner_, instance).status();
  }

  bool has_planned() const override { return has_planned_; }

 private:
  // Returns a function that calls the planner and remembers its arguments.
  typename Side::Fn Observe(const typename Side::Fn& planner) {
    if (!planner) return {};
    return [this, &planner](absl::Span<const ByteRecord> records,
                            const auto&... alignments) {
      asked_ = MakeInstance(records, alignments...);
      auto plan = planner(records, alignments...);
      if (plan.ok() && !records.empty()) has_planned_ = true;
      return plan;
    };
  }

  const typename Side::Fn planner_;
  absl::Span<const P> properties_;
  bool has_planned_ = false;  // at least one record was planned
  Instance asked_;            // arguments of the last call
};

// The traces of a search. Families alternate, and the number of records grows
// from one round of families to the next.
class TraceSequence {
 public:
  explicit TraceSequence(const SearchForFailure& search)
      : search_(search), families_(search.families) {
    if (!families_.empty()) return;
    for (const FamilyInfo& info : AllFamilies()) {
      families_.push_back(info.family);
    }
  }

  Family FamilyOf(size_t i) const { return families_[i % families_.size()]; }
  uint64_t SeedOf(size_t i) const { return search_.seed + i; }
  size_t family_count() const { return families_.size(); }

  // Returns the i-th trace. Every other round has alignments.
  Instance MakeTrace(size_t i) const {
    constexpr size_t kUsualAlignment = 256;
    const size_t round = i / families_.size();
    Parameters parameters = search_.parameters;
    parameters.max_alignment = 1;
    if (round % 4 == 1) {
      parameters.max_alignment =
          std::min(kUsualAlignment, search_.max_alignment);
    } else if (round % 4 == 3) {
      parameters.max_alignment = search_.max_alignment;
    }
    return LargeSize(i) > 0
               ? LargeInstance(FamilyOf(i), SeedOf(i), LargeSize(i), parameters)
               : RandomInstance(FamilyOf(i), SeedOf(i), DrawCount(round),
                                parameters);
  }

 private:
  // Returns the number of draws, which grows with the rounds and then starts
  // again.
  size_t DrawCount(size_t round) const {
    const size_t draws = round / 2;
    return draws <= search_.max_size ? draws : draws % (search_.max_size + 1);
  }

  // Returns the largest number of records if the i-th trace is a large one,
  // otherwise 0. The large traces are spread over rounds and families.
  size_t LargeSize(size_t i) const {
    const size_t place = i / families_.size() + i % families_.size();
    if (place % 40 != 39) return 0;
    return place % 80 == 79 ? search_.large_size
                            : std::min<size_t>(70, search_.large_size);
  }

  const SearchForFailure& search_;
  std::vector<Family> families_;
};

// After a failure, the properties that come before the failed property are
// tried on the traces of this number of rounds of families. The failed property
// may have made larger traces of small ones. The number is high enough that a
// simple property, which does not do so, fails too.
constexpr size_t kRounds = 10;

template <typename Side, typename P>
absl::optional<Failure> Find(const typename Side::Fn& planner,
                             const SearchForFailure& search,
                             absl::Span<const P> properties) {
  const TraceSequence sequence(search);
  PlannerInProcess<Side, P> under_test(planner, properties);
  PlannerUnderTest* const planners[] = {&under_test};
  FailureSearchOptions options;
  options.traces = search.traces;
  options.make_trace = [&](size_t i) { return sequence.MakeTrace(i); };
  options.round = kRounds * sequence.family_count();
  SearchOutcome outcome = RunFailureSearch(planners, options);
  if (!outcome.failure) return absl::nullopt;
  SearchFailure& found = *outcome.failure;
  Failure failure;
  if (found.property < properties.size()) {
    failure.property = properties[found.property].name;
    failure.sentence = properties[found.property].sentence;
    failure.status = std::move(found.status);
  } else {
    failure.property = kPlanned.name;
    failure.sentence = kPlanned.sentence;
    failure.status = absl::InternalError(
        absl::StrCat("the planner has planned nothing that it was asked: ",
                     found.status.ToString()));
  }
  failure.family = sequence.FamilyOf(found.trace);
  failure.seed = sequence.SeedOf(found.trace);
  failure.traces = found.trace + 1;
  failure.found = std::move(found.found);
  failure.smallest = std::move(found.smallest);
  failure.asked = std::move(found.asked);
  failure.shrink_end = found.shrink_end;
  return failure;
}

}  // namespace

absl::optional<Failure> FindFailure(const PlanFn& planner,
                                    const SearchForFailure& search,
                                    absl::Span<const Property> properties) {
  return Find<OffsetsSide>(planner, search, properties);
}

absl::optional<Failure> FindFailure(
    const ObjectsPlanFn& planner, const SearchForFailure& search,
    absl::Span<const ObjectsProperty> properties) {
  SearchForFailure unaligned = search;
  unaligned.max_alignment = 1;
  return Find<ObjectsSide>(planner, unaligned, properties);
}

namespace {

bool SameInstance(const Instance& a, const Instance& b) {
  if (a.records.size() != b.records.size()) return false;
  for (size_t i = 0; i < a.records.size(); ++i) {
    const ByteRecord& x = a.records[i];
    const ByteRecord& y = b.records[i];
    if (x.tensor_size != y.tensor_size || x.first_task != y.first_task ||
        x.last_task != y.last_task ||
        a.alignment().Of(i) != b.alignment().Of(i)) {
      return false;
    }
  }
  return true;
}

std::string RecordsText(const Instance& instance) {
  std::string text;
  for (size_t i = 0; i < instance.records.size(); ++i) {
    const ByteRecord& record = instance.records[i];
    absl::StrAppend(&text, "tensor ", i, "   ", record.tensor_size,
                    record.tensor_size == 1 ? " byte" : " bytes", ", tasks [",
                    record.first_task, ", ", record.last_task, "]");
    if (!instance.alignments.empty()) {
      absl::StrAppend(&text, ", alignment ", instance.alignments[i]);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace

std::string Describe(const Failure& failure) {
  std::string text = absl::StrCat(
      "property   ", failure.property, ": ", failure.sentence, "\n",
      "violated   ", failure.status.message(), "\n", "found in   trace ",
      failure.traces, ", of the family ", InfoOf(failure.family).name,
      " with seed ", failure.seed, ": ", failure.found.records.size(),
      " records, shrunk to ", failure.smallest.records.size(), "\n");
  if (failure.shrink_end == ShrinkEnd::kAttempts) {
    absl::StrAppend(&text,
                    "limit      shrinking ended at its limit: smaller traces "
                    "may fail as well\n");
  }
  if (!SameInstance(failure.asked, failure.smallest)) {
    absl::StrAppend(&text, "changed    as the property has it, to ",
                    failure.asked.records.size(), "\n");
  }
  return text + RecordsText(failure.asked);
}

}  // namespace stowage::testing
