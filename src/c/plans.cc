// SPDX-License-Identifier: Apache-2.0
#include "src/c/plans.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/model/constraint_support.h"
#include "src/model/least_total.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::c_api {
namespace {

static_assert(sizeof(stowage_record) == sizeof(ByteRecord) &&
                  std::is_trivially_copyable_v<ByteRecord> &&
                  offsetof(stowage_record, size) ==
                      offsetof(ByteRecord, tensor_size) &&
                  offsetof(stowage_record, first_task) ==
                      offsetof(ByteRecord, first_task),
              "records are copied as bytes");

constexpr size_t kLargest = std::numeric_limits<size_t>::max();

// Checks that the plan chooses an order of the tasks, or groups, only if the
// problem leaves this choice open.
Status CheckChoices(const Problem& problem, const stowage_plan& plan) {
  if (plan.order_count > 0 && problem.free_order() == nullptr) {
    return InvalidArgumentError(
        "plan->order: the problem has no free order; expected no tasks");
  }
  if (plan.places == nullptr || LeavesChoiceOfGroups(problem)) {
    return OkStatus();
  }
  for (size_t i = 0; i < plan.count; ++i) {
    if (plan.places[i].group == STOWAGE_NO_GROUP) continue;
    return WithRecords(
        InvalidArgumentError(StrCat("plan->places[", i,
                                    "].group: ", plan.places[i].group,
                                    ", but the problem has no groups to "
                                    "choose; expected STOWAGE_NO_GROUP")),
        {i});
  }
  return OkStatus();
}

// Checks the arrays of a plan.
Status CheckPlanArrays(const Problem& problem, const stowage_plan& plan) {
  const bool is_of_offsets = problem.kind() == PlanKind::kOffsets;
  const uint64_t* const places = is_of_offsets ? plan.offsets : plan.objects;
  const uint64_t* const others = is_of_offsets ? plan.objects : plan.offsets;
  Status s = CheckArray(places, plan.count,
                        is_of_offsets ? "plan->offsets" : "plan->objects");
  if (s.ok() && !is_of_offsets) {
    s = CheckArray(plan.object_sizes, plan.object_count, "plan->object_sizes");
  }
  if (s.ok()) s = CheckArray(plan.order, plan.order_count, "plan->order");
  if (s.ok()) s = CheckChoices(problem, plan);
  for (size_t i = 0; s.ok() && plan.places != nullptr && i < plan.count; ++i) {
    if (plan.places[i].reserved == 0) continue;
    return WithRecords(
        InvalidArgumentError(StrCat("plan->places[", i, "].reserved: ",
                                    plan.places[i].reserved, "; expected 0")),
        {i});
  }
  if (!s.ok()) return s;
  if (others != nullptr || plan.reserved != 0) {
    return InvalidArgumentError(StrCat(
        "plan: has places of both kinds, or sets a reserved field; expected ",
        is_of_offsets ? "offsets" : "objects", " alone"));
  }
  return s;
}

OffsetsAssignment OffsetsOfPlan(const Problem& problem,
                                const stowage_plan& plan) {
  OffsetsAssignment offsets;
  offsets.offsets.assign(plan.offsets, plan.offsets + plan.count);
  if (plan.pools != nullptr) {
    offsets.pools.assign(plan.pools, plan.pools + plan.count);
  }
  offsets.total_size = plan.total_size;
  if (plan.total_size == STOWAGE_NONE && plan.count == problem.size()) {
    offsets.total_size = LeastTotal(problem, offsets).value_or(kLargest);
  }
  return offsets;
}

std::vector<RecordPlace> PlacesOf(const stowage_plan& plan) {
  std::vector<RecordPlace> places;
  if (plan.places == nullptr) return places;
  for (size_t i = 0; i < plan.count; ++i) {
    RecordPlace place;
    place.min = plan.places[i].min;
    if (plan.places[i].max != STOWAGE_NONE) place.max = plan.places[i].max;
    place.group = plan.places[i].group;
    place.at = plan.places[i].at;
    places.push_back(place);
  }
  return places;
}

optional<Violation> FindViolationOf(const Problem& problem,
                                    const Solution& solution) {
  if (solution.objects() != nullptr) {
    return FindViolation(problem.records(), *solution.objects());
  }
  if (auto violation = FindViolation(problem, *solution.offsets())) {
    return violation;
  }
  return FindBeyondCapacity(problem, *solution.offsets());
}

// Returns OK if the total of a plan is within the capacity of the problem.
Status CheckTotalFits(const Problem& problem, const Solution& solution) {
  const StatusOr<size_t> total = solution.objects() != nullptr
                                     ? TotalSize(*solution.objects())
                                     : solution.offsets()->total_size;
  if (!total.ok()) return total.status();
  if (!problem.capacity() || *total <= *problem.capacity()) {
    return OkStatus();
  }
  Violation violation;
  violation.kind = Violation::Kind::kBeyondCapacity;
  // No single record is at fault.
  violation.first_tensor = STOWAGE_NONE;
  violation.second_tensor = STOWAGE_NONE;
  violation.expected = *problem.capacity();
  violation.end = *total;
  return WithViolation(
      FailedPreconditionError(StrCat("the plan takes ", *total,
                                     " bytes; expected at most ",
                                     *problem.capacity(), ", the capacity")),
      violation);
}

// Returns OK if the plan is safe and within the capacity. Requires a problem
// that leaves no choices open, or only pairs of same_or_apart.
Status CheckSafe(const Problem& problem, const Solution& solution) {
  if (auto violation = FindViolationOf(problem, solution)) {
    return WithViolation(FailedPreconditionError(Describe(*violation, problem)),
                         *violation);
  }
  return CheckTotalFits(problem, solution);
}

}  // namespace

std::vector<ByteRecord> RecordsOf(const stowage_record* records, size_t count) {
  std::vector<ByteRecord> copied(count);
  if (count > 0) {
    std::memcpy(static_cast<void*>(copied.data()), records,
                count * sizeof(stowage_record));
  }
  return copied;
}

ObjectsAssignment<size_t> LeastObjects(const Problem& problem,
                                       const std::vector<uint64_t>& numbers) {
  ObjectsAssignment<size_t> plan;
  std::map<uint64_t, size_t> ids;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t size = problem.records()[i].tensor_size;
    const auto [entry, is_new] =
        ids.emplace(numbers[i], plan.object_sizes.size());
    if (is_new) plan.object_sizes.push_back(0);
    size_t& object = plan.object_sizes[entry->second];
    object = std::max(object, size);
    plan.object_ids.push_back(entry->second);
  }
  return plan;
}

StatusOr<Solution> SolutionOf(const Problem& problem,
                              const stowage_plan* plan) {
  Status s = CheckGiven(plan, "plan");
  if (s.ok()) s = CheckPlanArrays(problem, *plan);
  if (!s.ok()) return s;
  Solution solution;
  if (problem.kind() == PlanKind::kOffsets) {
    solution.SetPlan(OffsetsOfPlan(problem, *plan));
    solution.total_size = solution.offsets()->total_size;
  } else {
    ObjectsAssignment<size_t> objects;
    objects.object_ids.assign(plan->objects, plan->objects + plan->count);
    objects.object_sizes.assign(plan->object_sizes,
                                plan->object_sizes + plan->object_count);
    solution.total_size = TotalSize(objects).value_or(kLargest);
    solution.SetPlan(std::move(objects));
  }
  solution.order.assign(plan->order, plan->order + plan->order_count);
  solution.places = PlacesOf(*plan);
  solution.found_by = "caller";
  return solution;
}

Status Verify(const Problem& problem, const Solution& solution) {
  // Violations of a problem that leaves only pairs open are found in the
  // problem itself: the decided problem has other groups, which follow from the
  // plan.
  if (LeavesChoiceOfGroups(problem) && !problem.groups_are_optional()) {
    if (Status s = CheckSafe(problem, solution); !s.ok()) return s;
  }
  const StatusOr<Problem> decided = DecidedProblem(problem, solution);
  if (!decided.ok()) return decided.status();
  return CheckSafe(*decided, solution);
}

stowage_plan ViewOf(const OffsetsAssignment& plan) {
  stowage_plan view = {};
  view.count = plan.offsets.size();
  view.total_size = plan.total_size;
  view.offsets = plan.offsets.data();
  if (!plan.pools.empty()) view.pools = plan.pools.data();
  return view;
}

stowage_plan ViewOf(const ObjectsAssignment<size_t>& plan) {
  stowage_plan view = {};
  view.count = plan.object_ids.size();
  view.total_size = TotalSize(plan).value_or(kLargest);
  view.objects = plan.object_ids.data();
  view.object_sizes = plan.object_sizes.data();
  view.object_count = plan.object_sizes.size();
  return view;
}

}  // namespace stowage::c_api
