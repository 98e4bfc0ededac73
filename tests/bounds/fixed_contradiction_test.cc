// SPDX-License-Identifier: Apache-2.0
// Compares the contradictions found between records at fixed offsets with those
// found by the sweep for problems with constraints. For individual cases, see
// contradiction_test.cc.
#include "src/bounds/fixed_contradiction.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/verify/verify_sharing.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

size_t Below(size_t end) { return *rc::gen::inRange<size_t>(0, end); }

// Returns a problem with few tasks and few bytes, so that records often share
// both a task and a byte.
ProblemSpec AnySpec() {
  ProblemSpec spec;
  const size_t count = Below(9);
  const size_t bytes = 1 + Below(20);
  for (size_t i = 0; i < count; ++i) {
    const TaskId first = Below(8);
    spec.records.push_back({Below(8), first, first + Below(4)});
    spec.fixed_offsets.emplace_back(absl::nullopt);
    if (Below(4) > 0) spec.fixed_offsets.back() = Below(bytes);
  }
  if (Below(2) == 0) spec.capacity = Below(30);
  return spec;
}

RC_GTEST_PROP(FixedContradictionTest, IsThatOfTheSweepForConstraints, ()) {
  const ProblemSpec spec = AnySpec();
  const auto problem = Problem::Create(spec);
  RC_ASSERT(problem.ok());
  OffsetsAssignment plan;
  std::vector<size_t> fixed;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    plan.offsets.push_back(spec.fixed_offsets[i].value_or(0));
    if (spec.fixed_offsets[i]) fixed.push_back(i);
  }
  const absl::optional<Violation> expected =
      FindSharing(spec.records, Constraints(), plan, fixed);
  const absl::optional<Solution> found = FindFixedContradiction(*problem);
  RC_TAG(expected.has_value());
  RC_ASSERT(found.has_value() == expected.has_value());
  if (!found) return;
  const std::vector<size_t> conflict = {expected->first_tensor,
                                        expected->second_tensor};
  RC_ASSERT(found->status == SolutionStatus::kInfeasible);
  RC_ASSERT(found->conflict == conflict);
  RC_ASSERT(found->reason ==
            "at fixed offsets, " + Describe(*expected, *problem));
  bool are_within = true;
  for (const size_t i : conflict) {
    const size_t end = plan.offsets[i] + spec.records[i].tensor_size;
    are_within = are_within && end <= spec.capacity.value_or(end);
  }
  RC_ASSERT(found->conflict_is_irreducible == are_within);
}

// Many records hold the same byte, one after the other. The time must not be
// quadratic in their number.
TEST(FixedContradictionTest, IsFastForManyRecordsAtOneOffset) {
  constexpr size_t kRecords = 200000;
  ProblemSpec spec;
  for (size_t i = 0; i < kRecords; ++i) spec.records.push_back({8, i, i});
  spec.records.back().first_task = kRecords - 2;
  spec.fixed_offsets.assign(kRecords, 0);
  const auto found = FindFixedContradiction(*Problem::Create(std::move(spec)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conflict, (std::vector<size_t>{kRecords - 2, kRecords - 1}));
}

}  // namespace
}  // namespace stowage
