// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/plan_fn.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/strategy.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_c.h"

namespace stowage::testing {
namespace {

std::vector<stowage_test_record> ToC(Span<const ByteRecord> records,
                                     const Alignments& alignments) {
  std::vector<stowage_test_record> result;
  result.reserve(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    result.push_back({records[i].tensor_size, records[i].first_task,
                      records[i].last_task, alignments.Of(i)});
  }
  return result;
}

Status StatusOfAnswer(int answer) {
  switch (answer) {
    case STOWAGE_TEST_PLANNED:
      return OkStatus();
    case STOWAGE_TEST_REFUSED:
      return OutOfRangeError("the planner refused the records");
    case STOWAGE_TEST_UNSUPPORTED:
      return UnimplementedError("the planner does not support this");
    default:
      return InternalError(
          StrCat("the planner returned ", answer, "; expected 0, 1 or 2"));
  }
}

StatusOr<OffsetsAssignment> CallC(stowage_test_plan_fn plan, void* context,
                                  Span<const ByteRecord> records,
                                  const Alignments& alignments) {
  constexpr uint64_t kUntouched = std::numeric_limits<uint64_t>::max();
  // Guards after the offsets detect whether the function writes beyond the last
  // offset. The guards have different values, because a function might write
  // the value of a single guard by chance: planners mark missing offsets with
  // -1, and 0 is an ordinary offset.
  constexpr uint64_t kGuard[] = {0x5ca1ab1edeadbea7, kUntouched, 0,
                                 0xbe11f00d0ddba115};
  const std::vector<stowage_test_record> input = ToC(records, alignments);
  std::vector<uint64_t> offsets(records.size(), kUntouched);
  offsets.insert(offsets.end(), std::begin(kGuard), std::end(kGuard));
  uint64_t total_size = 0;
  const int answer =
      plan(context, input.data(), input.size(), offsets.data(), &total_size);
  const auto* const end = offsets.data() + records.size();
  if (!std::equal(std::begin(kGuard), std::end(kGuard), end)) {
    return InternalError(StrCat("the planner wrote more than ", records.size(),
                                " offsets for as many records"));
  }
  if (Status status = StatusOfAnswer(answer); !status.ok()) return status;
  OffsetsAssignment assignment;
  offsets.resize(records.size());
  assignment.offsets.assign(offsets.begin(), offsets.end());
  assignment.total_size = total_size;
  return assignment;
}

}  // namespace

PlanFn PlanFnOf(stowage_test_plan_fn plan, void* context) {
  if (plan == nullptr) return nullptr;
  return [plan, context](Span<const ByteRecord> records,
                         const Alignments& alignments) {
    return CallC(plan, context, records, alignments);
  };
}

SolveOptions RepeatableOptions() {
  SolveOptions options;
  options.node_budget = 20'000;
  // The time limit is disabled. If the planner chooses pairs or groups, a time
  // limit would apply in addition to the node budget, and the plan would depend
  // on the machine.
  options.time_limit_ns = kNoTimeLimit;
  return options;
}

PlanFn StrategyPlanFn(std::string strategy, SolveOptions options) {
  return [strategy = std::move(strategy),
          options](const Problem& problem) -> StatusOr<OffsetsAssignment> {
    const StatusOr<Solution> solution = Solve(problem, strategy, options);
    if (!solution.ok()) return solution.status();
    if (solution->has_plan()) return *solution->offsets();
    return OutOfRangeError("the strategy has found no plan");
  };
}

ObjectsPlanFn StrategyObjectsPlanFn(std::string strategy,
                                    SolveOptions options) {
  return [strategy = std::move(strategy), options](
             const Problem& problem) -> StatusOr<ObjectsAssignment<size_t>> {
    const StatusOr<Solution> solution = Solve(problem, strategy, options);
    if (!solution.ok()) return solution.status();
    return *solution->objects();
  };
}

}  // namespace stowage::testing
