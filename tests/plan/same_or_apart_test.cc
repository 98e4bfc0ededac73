// SPDX-License-Identifier: Apache-2.0
// Tests pairs of records that may lie in one place or apart. Plans of small
// problems are compared with all plans that there are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::IsOk;

size_t Below(size_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<size_t>(0, end));
}

uint32_t GroupIn(const ProblemSpec& spec, size_t i) {
  return spec.constraints.places.empty() ? kNoGroup
                                         : spec.constraints.places[i].group;
}

// Finds the smallest total of all plans by trying every offset of every record.
class AllPlans {
 public:
  explicit AllPlans(const ProblemSpec& spec) : spec_(spec) {
    for (const SharedPlace& pair : spec.constraints.same_or_apart) {
      pairs_.emplace_back(pair.first, pair.second);
    }
  }

  // Returns the least total of at most `max`, or nothing if there is no plan.
  absl::optional<size_t> LeastTotal(size_t max) {
    for (total_ = 0; total_ <= max; ++total_) {
      offsets_.clear();
      if (Place()) return total_;
    }
    return absl::nullopt;
  }

 private:
  bool MayShare(size_t a, size_t b) const {
    const auto has = [&](size_t x, size_t y) {
      return std::find(pairs_.begin(), pairs_.end(), std::make_pair(x, y)) !=
             pairs_.end();
    };
    return has(a, b) || has(b, a);
  }

  bool Fits(size_t a, size_t b) const {
    const auto& records = spec_.records;
    if (GroupIn(spec_, a) != kNoGroup &&
        GroupIn(spec_, a) == GroupIn(spec_, b)) {
      return offsets_[b] + spec_.constraints.places[a].at ==
             offsets_[a] + spec_.constraints.places[b].at;
    }
    const bool meet = records[a].first_task <= records[b].last_task &&
                      records[b].first_task <= records[a].last_task;
    if (!meet || offsets_[a] + records[a].tensor_size <= offsets_[b] ||
        offsets_[b] + records[b].tensor_size <= offsets_[a]) {
      return true;
    }
    return offsets_[a] == offsets_[b] && MayShare(a, b);
  }

  bool Place() {
    const size_t i = offsets_.size();
    if (i == spec_.records.size()) return true;
    const size_t at =
        GroupIn(spec_, i) == kNoGroup ? 0 : spec_.constraints.places[i].at;
    for (size_t offset = at; offset + spec_.records[i].tensor_size <= total_;
         offset += spec_.alignment) {
      offsets_.push_back(offset);
      bool fits = true;
      for (size_t other = 0; other < i && fits; ++other) fits = Fits(other, i);
      if (fits && Place()) return true;
      offsets_.pop_back();
    }
    return false;
  }

  const ProblemSpec& spec_;
  std::vector<std::pair<size_t, size_t>> pairs_;
  std::vector<size_t> offsets_;
  size_t total_ = 0;
};

// Returns a random problem of up to six records, some of them in groups, with
// pairs of records of equal size.
ProblemSpec AnyProblem() {
  ProblemSpec spec;
  const size_t count = 2 + Below(5);
  const size_t sizes = 1 + Below(3);
  const bool has_groups = Below(3) == 0;
  for (size_t i = 0; i < count; ++i) {
    const TaskId first = Below(4);
    spec.records.emplace_back(1 + Below(sizes), first, first + Below(4));
    if (!has_groups) continue;
    RecordPlace place;
    place.group = Below(2) == 0 ? static_cast<uint32_t>(Below(2)) : kNoGroup;
    if (place.group != kNoGroup && Below(3) == 0) place.at = Below(3);
    spec.constraints.places.push_back(place);
  }
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = a + 1; b < count; ++b) {
      if (spec.records[a].tensor_size != spec.records[b].tensor_size ||
          Below(2) == 0) {
        continue;
      }
      if (has_groups && GroupIn(spec, a) != kNoGroup &&
          GroupIn(spec, a) == GroupIn(spec, b)) {
        continue;
      }
      spec.constraints.same_or_apart.push_back({a, b, Below(3)});
    }
  }
  return spec;
}

size_t SumOfSizes(const ProblemSpec& spec) {
  size_t sum = 0;
  for (const auto& record : spec.records) sum += record.tensor_size;
  return sum;
}

RC_GTEST_PROP(SameOrApartTest, PlansAreTheSmallestOfAllPlans, ()) {
  const ProblemSpec spec = AnyProblem();
  const auto problem = Problem::Create(spec);
  RC_ASSERT(problem.ok());
  const auto least = AllPlans(spec).LeastTotal(SumOfSizes(spec) + 6);
  RC_ASSERT(least.has_value());
  RC_ASSERT(LowerBoundOf(*problem).bytes <= *least);
  RC_ASSERT(AlignedLowerBound(*problem) <= *least);
  const auto solution = Solve(*problem, "optimal");
  RC_ASSERT(solution.ok());
  RC_ASSERT(solution->has_plan());
  RC_ASSERT(!FindViolation(*problem, *solution->offsets()));
  RC_ASSERT(solution->total_size == *least);
  RC_ASSERT(solution->status == SolutionStatus::kOptimal);
  RC_ASSERT(solution->lower_bound == *least);
}

RC_GTEST_PROP(SameOrApartTest, EveryStrategyPlansSafely, ()) {
  const ProblemSpec spec = AnyProblem();
  const auto problem = Problem::Create(spec);
  RC_ASSERT(problem.ok());
  const auto least = AllPlans(spec).LeastTotal(SumOfSizes(spec) + 6);
  for (const Strategy* strategy : AllStrategies()) {
    const auto solution = Solve(*problem, *strategy);
    if (!solution.ok()) {
      RC_ASSERT(absl::IsUnimplemented(solution.status()));
      continue;
    }
    RC_ASSERT(solution->has_plan());
    RC_ASSERT(!FindViolation(*problem, *solution->offsets()));
    RC_ASSERT(solution->lower_bound <= *least);
    RC_ASSERT(solution->total_size >= *least);
    RC_ASSERT(solution->status != SolutionStatus::kOptimal ||
              solution->total_size == *least);
    const auto decided = DecidedProblem(*problem, *solution);
    RC_ASSERT(decided.ok());
    RC_ASSERT(!FindViolation(*decided, *solution->offsets()));
    Solution bare = *solution->offsets();
    const auto derived = DecidedProblem(*problem, bare);
    RC_ASSERT(derived.ok());
    RC_ASSERT(!FindViolation(*derived, *solution->offsets()));
  }
}

}  // namespace
}  // namespace stowage
