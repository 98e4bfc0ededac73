// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a file of plans. The reader must refuse the bytes, or the
// plans must be the same after writing and reading. The seed inputs contain the
// fingerprints of a few problems. Whatever the file contains, each of these
// problems must then get a plan that the verifier accepts and that has the
// total that it claims.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "stowage/assignment.h"
#include "stowage/free_order.h"
#include "stowage/identified_plan.h"
#include "stowage/io/plans_file.h"
#include "stowage/plan_cache.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

constexpr size_t kCacheBytes = size_t{1} << 20;

// Returns the problems of tests/io/plans_file_test.cc. The seed inputs contain
// plans for these problems.
std::vector<Problem> MakeProblems() {
  ProblemSpec records;
  records.records = {{16, 0, 1}, {8, 1, 2}, {16, 2, 3}};
  ProblemSpec objects = records;
  objects.kind = PlanKind::kObjects;
  ProblemSpec pools = records;
  pools.constraints.pools = {{"a", 16}, {"b", 100}};
  ProblemSpec order;
  order.records = {{10, 0, 0}, {10, 0, 0}};
  order.free_order = FreeOrder{
      4, {}, UserLists(std::vector<std::vector<TaskId>>{{0, 2}, {1, 3}})};
  std::vector<Problem> problems;
  for (ProblemSpec& spec : std::vector<ProblemSpec>{records, objects, pools,
                                                    order, ProblemSpec()}) {
    problems.push_back(*Problem::Create(std::move(spec)));
  }
  return problems;
}

void CheckSolution(const Problem& problem, const Solution& solution) {
  Check(solution.has_plan(), "a problem has no plan");
  Check(solution.lower_bound <= solution.total_size, "a bound is too high");
  if (problem.kind() == PlanKind::kObjects) {
    const auto violation =
        FindViolation(problem.records(), *solution.objects());
    Check(!violation, violation ? Describe(*violation) : "");
    Check(TotalSize(*solution.objects()).value() == solution.total_size,
          "another total of objects");
    return;
  }
  const absl::StatusOr<Problem> decided = DecidedProblem(problem, solution);
  Check(decided.ok(), decided.status().ToString());
  const auto violation = FindViolation(*decided, *solution.offsets());
  Check(!violation, violation ? Describe(*violation) : "");
  Check(solution.offsets()->total_size == solution.total_size,
        "another total of offsets");
}

void Fuzz(absl::string_view text) {
  static const std::vector<Problem>* const problems =
      new std::vector<Problem>(MakeProblems());
  const absl::StatusOr<PlanList> list = ParsePlans(text, "fuzz.txt");
  if (!list.ok()) {
    Check(absl::IsInvalidArgument(list.status()), list.status().ToString());
    return;
  }
  const std::string written = FormatPlans(list->plans);
  const absl::StatusOr<PlanList> again = ParsePlans(written, "again.txt");
  Check(again.ok() && again->plans.size() == list->plans.size() &&
            again->damaged_lines == 0,
        "a written file is damaged");
  Check(FormatPlans(again->plans) == written, "written otherwise");
  PlanCache cache(kCacheBytes, "greedy_by_size");
  for (const IdentifiedPlan& plan : list->plans) cache.Add(plan);
  Check(cache.stats().bytes <= kCacheBytes, "too much memory");
  for (const Problem& problem : *problems) {
    const auto found = cache.Get(problem);
    // greedy_by_size has no plans with pools.
    if (!found.ok()) {
      Check(absl::IsUnimplemented(found.status()), found.status().ToString());
      continue;
    }
    CheckSolution(problem, **found);
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
