// SPDX-License-Identifier: Apache-2.0
// Tests that explanations agree with brute force, on random records and random
// plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"
#include "rapidcheck/gtest.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/testing/generators.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

using testing::ByteRecords;

// Generates records with small sizes and few tasks, because these are likely to
// have several peaks of equal breadth, which make values hardest to compute.
rc::Gen<ByteRecords> CrowdedRecords() {
  return rc::gen::map(rc::gen::container<std::vector<std::vector<size_t>>>(
                          rc::gen::container<std::vector<size_t>>(
                              3, rc::gen::inRange<size_t>(0, 8))),
                      [](const std::vector<std::vector<size_t>>& draws) {
                        ByteRecords records;
                        for (const std::vector<size_t>& d : draws) {
                          records.emplace_back(d[0] % 4, d[1], d[1] + d[2] % 4);
                        }
                        return records;
                      });
}

size_t BoundWithout(ByteRecords records, const std::vector<size_t>& gone) {
  for (const size_t i : gone) records[i].tensor_size = 0;
  return OffsetsLowerBound(records);
}

size_t LiveAt(const ByteRecords& records, TaskId task) {
  size_t live = 0;
  for (const size_t i : TaskProfile(records, task)) {
    live += records[i].tensor_size;
  }
  return live;
}

void CheckValues(const ByteRecords& records) {
  const BreadthExplanation why = ExplainBreadth(records);
  RC_ASSERT(why.breadth == OffsetsLowerBound(records));
  for (size_t i = 0; i < records.size(); ++i) {
    RC_ASSERT(why.values[i].marginal ==
              why.breadth - BoundWithout(records, {i}));
    const auto peak =
        std::find_if(why.peaks.begin(), why.peaks.end(), [&](TaskId task) {
          return task >= records[i].first_task && task <= records[i].last_task;
        });
    size_t shorter = 0;
    if (peak != why.peaks.end() && *peak > records[i].first_task) {
      ByteRecords changed = records;
      changed[i].last_task = *peak - 1;
      shorter = why.breadth - OffsetsLowerBound(changed);
    }
    RC_ASSERT(why.values[i].if_ended_before_peak == shorter);
  }
  RC_ASSERT(why.peak_ends.size() == why.peaks.size());
  for (size_t k = 0; k < why.peaks.size(); ++k) {
    RC_ASSERT(LiveAt(records, why.peaks[k]) == why.breadth);
    const TaskId end = why.peak_ends[k];
    RC_ASSERT(LiveAt(records, end) == why.breadth);
    const bool is_next =
        k + 1 < why.peaks.size() && why.peaks[k + 1] <= end + 1;
    RC_ASSERT(is_next || end + 1 == 0 ||
              LiveAt(records, end + 1) < why.breadth);
  }
}

RC_GTEST_PROP(ExplainBreadthTest, ValuesAreThoseOfBruteForce, ()) {
  CheckValues(*testing::AnyRecords());
}

RC_GTEST_PROP(ExplainBreadthTest, ValuesOfEqualPeaksAreThoseOfBruteForce, ()) {
  CheckValues(*CrowdedRecords());
}

// Returns whether the bound falls if the records in `gone` are removed together
// with some set of `count` other records, all of them at index `next` or above.
// Tries all such sets.
bool SomeSetHelps(const ByteRecords& records, size_t bound, size_t count,
                  size_t next, std::vector<size_t>* gone) {
  if (count == 0) return BoundWithout(records, *gone) < bound;
  for (size_t i = next; i < records.size(); ++i) {
    gone->push_back(i);
    const bool helps = SomeSetHelps(records, bound, count - 1, i + 1, gone);
    gone->pop_back();
    if (helps) return true;
  }
  return false;
}

RC_GTEST_PROP(ExplainBreadthTest, PlateauIsTheSmallestSetThatHelps, ()) {
  ByteRecords records = *CrowdedRecords();
  if (records.size() > 9) records.resize(9);
  const BreadthExplanation why = ExplainBreadth(records);
  RC_PRE(why.breadth > 0);
  RC_ASSERT(BoundWithout(records, why.plateau) < why.breadth);
  std::vector<size_t> gone;
  for (size_t count = 0; count < why.plateau.size(); ++count) {
    RC_ASSERT(!SomeSetHelps(records, why.breadth, count, 0, &gone));
  }
}

// Returns a safe plan of random records, made by a random strategy. In some of
// the plans, all offsets are doubled, which leaves gaps.
ProblemFile AnyPlan() {
  ProblemFile trace;
  trace.problem.records = *testing::AnyRecords();
  for (ByteRecord& record : trace.problem.records) {
    record.last_task =
        std::min(record.last_task, std::numeric_limits<TaskId>::max() - 1);
    record.first_task = std::min(record.first_task, record.last_task);
  }
  const auto strategy = *rc::gen::element(
      MemoryStrategy::NAIVE, MemoryStrategy::GREEDY_IN_ORDER,
      MemoryStrategy::GREEDY_BY_BREADTH, MemoryStrategy::GREEDY_BY_SIZE);
  OffsetsAssignment plan;
  RC_ASSERT(
      AssignOffsetsToTensors(trace.problem.records, strategy, &plan).ok());
  const bool is_spread =
      plan.total_size < (size_t{1} << 60) && *rc::gen::arbitrary<bool>();
  trace.plan.offsets = plan.offsets;
  for (size_t& offset : trace.plan.offsets) offset *= is_spread ? 2 : 1;
  for (size_t i = 0; i < trace.problem.records.size(); ++i) {
    trace.problem.names.push_back(std::to_string(i));
  }
  return trace;
}

PlanView ViewOf(const ProblemFile& trace) {
  absl::StatusOr<PlanView> view = ViewPlan(trace, {"plan", ""});
  RC_ASSERT(view.ok());
  RC_ASSERT(!view->violation.has_value());
  return *view;
}

RC_GTEST_PROP(ExplainPlanTest, WasteAddsUpAtEveryTask, ()) {
  const PlanView view = ViewOf(AnyPlan());
  const PlanWaste waste = ExplainPlan(view).waste;
  RC_ASSERT(waste.tasks.empty() == (view.task_count == 0));
  for (const TaskWaste& at : waste.tasks) {
    size_t live = 0;
    size_t highest = 0;
    for (const size_t i : TaskProfile(view.problem.records, at.task)) {
      const size_t size = view.problem.records[i].tensor_size;
      live += size;
      if (size > 0) highest = std::max(highest, view.offsets[i] + size);
    }
    RC_ASSERT(at.held == live);
    RC_ASSERT(at.inside == highest - live);
    RC_ASSERT(at.top == view.total_size - highest);
  }
  if (view.peak_tasks.empty()) return;
  RC_ASSERT(view.peak_breadth + waste.inside_at_peak + waste.top_at_peak ==
            view.total_size);
}

// Returns the maximum total size of the records in a support chain that ends
// with record `top`. Tries all chains.
size_t MaxBytesOfAChain(const PlanView& view, size_t top) {
  const std::vector<ByteRecord>& records = view.problem.records;
  size_t max = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const bool is_below =
        records[i].tensor_size > 0 &&
        view.offsets[i] + records[i].tensor_size <= view.offsets[top];
    if (!is_below || !Conflict(records[i], records[top])) continue;
    max = std::max(max, MaxBytesOfAChain(view, i));
  }
  return max + records[top].tensor_size;
}

RC_GTEST_PROP(ExplainPlanTest, SupportChainAddsUp, ()) {
  const PlanView view = ViewOf(AnyPlan());
  const PlanExplanation why = ExplainPlan(view);
  RC_PRE(!why.chains.empty());
  RC_ASSERT(why.chains.size() == 1U);
  const SupportChain& chain = why.chains[0];
  size_t height = 0;
  for (size_t k = 0; k < chain.parts.size(); ++k) {
    const ByteRecord& record = view.problem.records[chain.parts[k].record];
    height += chain.parts[k].gap;
    RC_ASSERT(view.offsets[chain.parts[k].record] == height);
    height += record.tensor_size;
    if (k == 0) continue;
    RC_ASSERT(
        Conflict(record, view.problem.records[chain.parts[k - 1].record]));
  }
  RC_ASSERT(height + chain.above == view.total_size);
  RC_ASSERT(chain.size == view.total_size);
  RC_ASSERT(chain.breadth == why.breadth.breadth);
  size_t explained = chain.rest;
  for (const ChainLift& lift : chain.lifts) explained += lift.bytes;
  RC_ASSERT(explained == chain.excess);
  RC_ASSERT(chain.excess == view.total_size - chain.breadth);
}

RC_GTEST_PROP(ExplainPlanTest, SupportChainHasTheFewestBytesInGaps, ()) {
  ProblemFile trace = AnyPlan();
  if (trace.problem.records.size() > 10) {
    trace.problem.records.resize(10);
    trace.plan.offsets.resize(10);
    trace.problem.names.resize(10);
  }
  const PlanView view = ViewOf(trace);
  const PlanExplanation why = ExplainPlan(view);
  RC_PRE(!why.chains.empty());
  const SupportChain& chain = why.chains[0];
  size_t max = 0;
  for (size_t i = 0; i < trace.problem.records.size(); ++i) {
    const size_t end = view.offsets[i] + trace.problem.records[i].tensor_size;
    if (trace.problem.records[i].tensor_size == 0) continue;
    if (end != view.total_size - chain.above) continue;
    max = std::max(max, MaxBytesOfAChain(view, i));
  }
  RC_ASSERT(chain.gaps + chain.above == view.total_size - max);
}

}  // namespace
}  // namespace stowage::views
