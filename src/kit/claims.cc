// SPDX-License-Identifier: Apache-2.0
// Defines the properties that only some planners guarantee: Claims() of
// properties.h.
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/kit/sides.h"
#include "src/kit/transforms.h"
#include "src/model/keep_records.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

// Returns whether two records have the same size or the same first task.
bool HasTies(const ProblemSpec& spec) {
  std::vector<size_t> sizes;
  std::vector<TaskId> tasks;
  for (const ByteRecord& record : spec.records) {
    sizes.push_back(record.tensor_size);
    tasks.push_back(record.first_task);
  }
  for (auto* keys : {&sizes, &tasks}) {
    std::sort(keys->begin(), keys->end());
    if (std::adjacent_find(keys->begin(), keys->end()) != keys->end()) {
      return true;
    }
  }
  return false;
}

// Returns plans of both problems, or nullopt if the planner returns no plan or
// an incorrect plan for one of them. That is not an error here, because other
// properties check for it. Calls the planner for `b` first and for `a` last,
// because messages refer to the last call.
template <typename Plan>
optional<std::pair<Plan, Plan>> PlanBoth(const PlannerFn<Plan>& planner,
                                         const ProblemSpec& a,
                                         const ProblemSpec& b) {
  auto of_b = CallPlanner(planner, b);
  if (!of_b.ok() || !CheckSafety(b, *of_b).ok()) return nullopt;
  auto of_a = CallPlanner(planner, a);
  if (!of_a.ok() || !CheckSafety(a, *of_a).ok()) return nullopt;
  return std::make_pair(*std::move(of_a), *std::move(of_b));
}

template <typename Plan>
Status SamePlanInAnyOrder(const PlannerFn<Plan>& planner,
                          const ProblemSpec& spec) {
  if (HasTies(spec)) return OkStatus();
  const size_t count = spec.records.size();
  for (const auto& order : {BackwardOrder(count), ShuffledOrder(count)}) {
    const auto plans = PlanBoth(planner, spec, KeepRecords(spec, order));
    if (!plans) continue;
    if (!SamePlan(RestoreOrder(plans->first, FirstToLast(count)),
                  RestoreOrder(plans->second, order))) {
      return Violated("in another order the records have a different plan");
    }
  }
  return OkStatus();
}

template <typename Plan>
Status SamePlanLater(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  for (const TaskId later : {TaskId{1}, TaskId{1} << 40}) {
    const auto shifted = Shifted(spec, later);
    if (!shifted) continue;
    const auto plans = PlanBoth(planner, spec, *shifted);
    if (!plans || SamePlan(plans->first, plans->second)) continue;
    return Violated("the records have another plan ", later, " tasks later");
  }
  return OkStatus();
}

void Multiply(size_t factor, OffsetsAssignment* plan) {
  for (size_t& offset : plan->offsets) offset *= factor;
  plan->total_size *= factor;
}

void Multiply(size_t factor, ObjectsAssignment<size_t>* plan) {
  for (size_t& size : plan->object_sizes) size *= factor;
}

template <typename Plan>
Status ScaledPlan(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  constexpr size_t kFactor = 4;
  const auto scaled = Scaled(spec, kFactor, kFactor);
  // Nothing is checked if the scaled records cannot be planned, because the
  // total of the scaled plan may then not fit in 64 bits.
  if (!scaled || !IsPlannable(*scaled)) return OkStatus();
  auto plans = PlanBoth(planner, spec, *scaled);
  if (!plans) return OkStatus();
  Multiply(kFactor, &plans->first);
  if (SamePlan(plans->first, plans->second)) return OkStatus();
  return Violated("sizes and alignments times ", kFactor,
                  " do not have the plan times ", kFactor);
}

template <typename Plan>
Status NotAboveNaive(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  if (!IsPlannable(spec)) return OkStatus();
  const auto plan = CallPlanner(planner, spec);
  if (!plan.ok()) return OkStatus();
  size_t naive = 0;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    naive += spec.records[i].tensor_size + AlignmentsOf(spec).Of(i) - 1;
  }
  const auto total = TotalOf(*plan);
  if (total.ok() && *total <= naive) return OkStatus();
  return Violated("the total ", total.ok() ? StrCat(*total) : "", " is above ",
                  naive, ", the sum of the padded sizes");
}

Status TightTotal(const PlanFn& planner, const ProblemSpec& spec) {
  const auto plan = CallPlanner(planner, spec);
  if (!plan.ok() || !CheckSafety(spec, *plan).ok()) {
    return OkStatus();
  }
  size_t end = 0;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    end = std::max(end, plan->offsets[i] + spec.records[i].tensor_size);
  }
  if (plan->total_size == end) return OkStatus();
  return Violated("the arena has ", plan->total_size,
                  " bytes, and the last tensor ends at ", end);
}

Status TightTotal(const ObjectsPlanFn& planner, const ProblemSpec& spec) {
  const auto plan = CallPlanner(planner, spec);
  if (!plan.ok() || !CheckSafety(spec, *plan).ok()) {
    return OkStatus();
  }
  const size_t objects = plan->object_sizes.size();
  std::vector<size_t> largest(objects, 0);
  std::vector<bool> is_used(objects, false);
  for (size_t i = 0; i < spec.records.size(); ++i) {
    const size_t object = plan->object_ids[i];
    is_used[object] = true;
    largest[object] = std::max(largest[object], spec.records[i].tensor_size);
  }
  for (size_t object = 0; object < objects; ++object) {
    if (is_used[object] && plan->object_sizes[object] == largest[object]) {
      continue;
    }
    return Violated("object ", object, " has ", plan->object_sizes[object],
                    " bytes, and no tensor with more than ", largest[object]);
  }
  return OkStatus();
}

template <typename Plan>
Status CheckRefused(const PlannerFn<Plan>& planner, const ProblemSpec& spec,
                    string_view what) {
  if (!CallPlanner(planner, spec).ok()) return OkStatus();
  return Violated("the planner planned ", what);
}

template <typename Plan>
Status CheckInvalidRecordsRefused(const PlannerFn<Plan>& planner,
                                  const ProblemSpec& spec) {
  if (!IsPlannable(spec)) {
    return CheckRefused(planner, spec,
                        "sizes whose padded sum exceeds 2^64 - 1");
  }
  if (spec.records.empty()) return OkStatus();
  ProblemSpec backward = spec;
  backward.records.back().first_task = 1;
  backward.records.back().last_task = 0;
  Status status = CheckRefused(planner, backward,
                               "a record whose first task is after its last");
  if (!status.ok()) return status;
  ProblemSpec endless = spec;
  endless.records.push_back(endless.records.back());
  endless.records.front().tensor_size = std::numeric_limits<size_t>::max();
  endless.records.back().tensor_size = 1;
  if (!endless.alignments.empty()) endless.alignments.push_back(1);
  return CheckRefused(planner, endless, "sizes whose sum exceeds 2^64 - 1");
}

template <typename Plan>
Status ValidInputOnly(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  constexpr bool kHasAlignments = std::is_same_v<Plan, OffsetsAssignment>;
  Status status = CheckInvalidRecordsRefused(planner, spec);
  if (!status.ok() || spec.records.empty() || !kHasAlignments) return status;
  for (const size_t alignment : {size_t{0}, size_t{3}}) {
    ProblemSpec invalid = spec;
    invalid.alignments.assign(spec.records.size(), 1);
    invalid.alignments.back() = alignment;
    status = CheckRefused(planner, invalid, StrCat("alignment ", alignment));
    if (!status.ok()) return status;
  }
  return OkStatus();
}

Status MonotoneOptimum(const PlanFn& planner, const ProblemSpec& spec) {
  const size_t count = spec.records.size();
  if (count == 0) return OkStatus();
  for (const size_t i : {size_t{0}, count / 2, count - 1}) {
    const auto plans = PlanBoth(planner, spec, DropRecord(spec, i));
    if (!plans || plans->second.total_size <= plans->first.total_size) continue;
    return Violated("the arena has ", plans->first.total_size,
                    " bytes, and without tensor ", i, " ",
                    plans->second.total_size);
  }
  return OkStatus();
}

Status ReversibleOptimum(const PlanFn& planner, const ProblemSpec& spec) {
  const auto plans = PlanBoth(planner, spec, Reversed(spec));
  if (!plans || plans->first.total_size == plans->second.total_size) {
    return OkStatus();
  }
  return Violated("the arena has ", plans->first.total_size,
                  " bytes, and with execution reversed ",
                  plans->second.total_size);
}

// Returns the claims for planners with the result type Plan.
template <typename Plan>
std::vector<PropertyOf<Plan>> MakeClaims() {
  std::vector<PropertyOf<Plan>> claims = {
      {"same_plan_in_any_order",
       "Records in another order have the same places, if no two have the same "
       "first task or size.",
       &OnRecords<Plan, SamePlanInAnyOrder>},
      {"same_plan_later", "Records shifted in time have the same plan.",
       &OnRecords<Plan, SamePlanLater>},
      {"scaled_plan", "Sizes and alignments times 4 have the plan times 4.",
       &OnRecords<Plan, ScaledPlan>},
      {"not_above_naive",
       "The plan is no larger than the sum of the padded sizes.",
       &OnRecords<Plan, NotAboveNaive>},
      {"tight_total",
       "The arena ends with its last tensor; every object is used, and as "
       "large "
       "as its largest tensor.",
       &OnRecords<Plan, TightTotal>},
      {"valid_input_only",
       "Invalid records and alignments are refused, and sizes whose sum "
       "exceeds 2^64 - 1.",
       &OnRecords<Plan, ValidInputOnly>}};
  if constexpr (std::is_same_v<Plan, OffsetsAssignment>) {
    claims.push_back({"monotone_optimum",
                      "One more record never makes the arena smaller, if the "
                      "planner finds the smallest arena.",
                      &OnRecords<Plan, MonotoneOptimum>});
    claims.push_back({"reversible_optimum",
                      "With execution reversed the arena is as large, if the "
                      "planner finds the smallest arena.",
                      &OnRecords<Plan, ReversibleOptimum>});
  }
  return claims;
}

template <typename P>
StatusOr<P> FindIn(string_view name,
                   std::initializer_list<Span<const P>> lists) {
  std::string names;
  for (const Span<const P> list : lists) {
    for (const P& property : list) {
      if (property.name == name) return property;
      StrAppend(&names, names.empty() ? "" : ", ", property.name);
    }
  }
  return NotFoundError(
      StrCat("no property is called \"", name, "\"; expected one of ", names));
}

}  // namespace

Span<const Property> Claims() {
  static const auto* const claims =
      new std::vector<Property>(MakeClaims<OffsetsAssignment>());
  return *claims;
}

Span<const ObjectsProperty> ObjectsClaims() {
  static const auto* const claims =
      new std::vector<ObjectsProperty>(MakeClaims<ObjectsAssignment<size_t>>());
  return *claims;
}

StatusOr<Property> FindProperty(string_view name) {
  return FindIn<Property>(name, {AllProperties(), Claims()});
}

StatusOr<ObjectsProperty> FindObjectsProperty(string_view name) {
  return FindIn<ObjectsProperty>(name,
                                 {AllObjectsProperties(), ObjectsClaims()});
}

}  // namespace stowage::testing
