// SPDX-License-Identifier: Apache-2.0
// Defines the properties that every correct planner has: AllProperties() and
// ProblemProperties() of properties.h.
#include "stowage/testing/properties.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "src/kit/sides.h"
#include "src/kit/transforms.h"
#include "src/model/keep_records.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/feature.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/specs.h"
#include "stowage/verify.h"

namespace stowage::testing {
namespace {

using Objects = ObjectsAssignment<size_t>;

template <typename Plan>
Status CheckCount(const Plan& plan, const ProblemSpec& spec) {
  const size_t places = CountPlaces(plan);
  if (places == spec.records.size()) return OkStatus();
  return Violated("there are ", places, " places for ", spec.records.size(),
                  " records");
}

template <typename Plan>
Status Completeness(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  const auto plan = CallPlanner(planner, spec);
  if (plan.ok()) return CheckCount(*plan, spec);
  if (!IsWrongRefusal(plan.status(), spec)) return OkStatus();
  return Violated(RefusalText(plan.status()));
}

// Returns the error of `check` for the plan, or OK if there is no plan.
template <typename Plan, typename CheckFn>
Status CheckPlanOf(const PlannerFn<Plan>& planner, const ProblemSpec& spec,
                   CheckFn check) {
  const auto plan = CallPlanner(planner, spec);
  if (!plan.ok()) return OkStatus();
  if (Status status = CheckCount(*plan, spec); !status.ok()) {
    return status;
  }
  return check(*plan);
}

Status Bounds(const PlanFn& planner, const ProblemSpec& spec) {
  return CheckPlanOf(planner, spec, [&](const OffsetsAssignment& plan) {
    for (size_t i = 0; i < spec.records.size(); ++i) {
      const size_t size = spec.records[i].tensor_size;
      const auto end = CheckedAdd(plan.offsets[i], size);
      if (end && *end <= plan.total_size) continue;
      return Violated("tensor ", i, " with ", size, " bytes at offset ",
                      plan.offsets[i], " ends beyond the arena of ",
                      plan.total_size);
    }
    return OkStatus();
  });
}

Status Bounds(const ObjectsPlanFn& planner, const ProblemSpec& spec) {
  return CheckPlanOf(planner, spec, [&](const Objects& plan) {
    const size_t objects = plan.object_sizes.size();
    for (size_t i = 0; i < spec.records.size(); ++i) {
      const size_t object = plan.object_ids[i];
      if (object >= objects) {
        return Violated("tensor ", i, " is in object ", object, " of ",
                        objects);
      }
      const size_t size = spec.records[i].tensor_size;
      if (plan.object_sizes[object] >= size) continue;
      return Violated("tensor ", i, " with ", size,
                      " bytes is larger than its object ", object, " of ",
                      plan.object_sizes[object]);
    }
    return OkStatus();
  });
}

Status AlignmentHolds(const PlanFn& planner, const ProblemSpec& spec) {
  return CheckPlanOf(planner, spec, [&](const OffsetsAssignment& plan) {
    const Alignments alignments = AlignmentsOf(spec);
    for (size_t i = 0; i < spec.records.size(); ++i) {
      if (plan.offsets[i] % alignments.Of(i) == 0) continue;
      return Violated("tensor ", i, " starts at byte ", plan.offsets[i],
                      ", which is not a multiple of ", alignments.Of(i));
    }
    return OkStatus();
  });
}

// Checks only that tensors do not overlap. Alignments and the end of the arena
// are checked by other properties.
Status Safety(const PlanFn& planner, const ProblemSpec& spec) {
  return CheckPlanOf(planner, spec, [&](OffsetsAssignment plan) {
    plan.total_size = 0;
    for (size_t i = 0; i < spec.records.size(); ++i) {
      const auto end = CheckedAdd(plan.offsets[i], spec.records[i].tensor_size);
      plan.total_size = std::max(
          plan.total_size, end.value_or(std::numeric_limits<size_t>::max()));
    }
    return CheckPlan(spec.records, plan);
  });
}

Status Safety(const ObjectsPlanFn& planner, const ProblemSpec& spec) {
  return CheckPlanOf(planner, spec, [&](const Objects& plan) {
    return CheckSafety(spec, plan);
  });
}

// Returns the feature to which a violation belongs, or kOffsets if the violated
// rule applies to every plan.
Feature FeatureOf(Violation::Kind kind) {
  switch (kind) {
    case Violation::Kind::kNotAtFixedOffset:
      return Feature::kFixedOffsets;
    case Violation::Kind::kOutsideRange:
    case Violation::Kind::kInHole:
      return Feature::kPlaces;
    case Violation::Kind::kGroupBroken:
      return Feature::kGroups;
    case Violation::Kind::kNotApart:
      return Feature::kApart;
    case Violation::Kind::kWrongPool:
    case Violation::Kind::kBeyondPool:
      return Feature::kPools;
    case Violation::Kind::kUnorderedSharing:
      return Feature::kPartialOrder;
    case Violation::Kind::kInvalidRecord:
    case Violation::Kind::kInvalidAlignment:
    case Violation::Kind::kCountMismatch:
    case Violation::Kind::kUnknownObject:
    case Violation::Kind::kObjectTooSmall:
    case Violation::Kind::kMisaligned:
    case Violation::Kind::kBeyondArena:
    case Violation::Kind::kBeyondCapacity:
    case Violation::Kind::kOverlappingBytes:
    case Violation::Kind::kSharedObject:
    case Violation::Kind::kSharedInPart:
      break;
  }
  return Feature::kOffsets;
}

// Checks that the verifier finds no violation that belongs to the feature.
// Violations that belong to no feature are assigned to kOffsets.
template <Feature kFeature>
Status Honours(const PlanFn& planner, const ProblemSpec& spec) {
  const StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) return problem.status();
  return CheckPlanOf(planner, spec, [&](const OffsetsAssignment& plan) {
    const auto violation = FindViolation(*problem, plan);
    if (!violation || FeatureOf(violation->kind) != kFeature) {
      return OkStatus();
    }
    return Violated(Describe(*violation, *problem));
  });
}

template <typename Plan>
Status SameAnswer(const ProblemSpec& spec, const StatusOr<Plan>& once,
                  const StatusOr<Plan>& again) {
  if (once.ok() == again.ok() && (!once.ok() || SamePlan(*once, *again))) {
    return OkStatus();
  }
  if (HasConstraints(spec)) {
    return Violated("the same problem has another plan, or none");
  }
  if (once.ok() == again.ok()) {
    return Violated(
        "the planner returned a different plan for the same records");
  }
  return Violated("the planner refused the same records once: ",
                  (once.ok() ? again : once).status().message());
}

// Compares the answers of three calls with the same records. In the second
// call, the records are elsewhere in memory. The third call comes after a call
// with different records, because a planner may keep state from call to call.
// With constraints, there is no third call, and the planner may refuse the
// first one.
template <typename Plan>
Status Determinism(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  const auto once = CallPlanner(planner, spec);
  if (!once.ok() && HasConstraints(spec)) return OkStatus();
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): see above
  const ProblemSpec copy = spec;
  Status status = SameAnswer(spec, once, CallPlanner(planner, copy));
  const auto other = WithLongRecord(spec);
  if (!status.ok() || !other) return status;
  // Only changes the state of the planner, if there is any; the result does not
  // matter.
  CallPlanner(planner, *other).IgnoreError();
  return SameAnswer(spec, once, CallPlanner(planner, spec));
}

// Checks the plan of `changed`, a variant of the problem `original`, which the
// planner has planned. Record k of `changed` is record order[k] of `original`.
// Without constraints, the planner must not refuse `changed` wrongly
// (IsWrongRefusal). With constraints, it may refuse `changed`, but if it
// returns a plan, the plan must also be a safe plan of `original`. Error:
// Internal if one of these conditions is violated.
template <typename Plan>
Status CheckChanged(const PlannerFn<Plan>& planner, const ProblemSpec& original,
                    const ProblemSpec& changed, string_view how,
                    Span<const size_t> order = {}) {
  const auto plan = CallPlanner(planner, changed);
  if (plan.ok()) {
    Status status = CheckSafety(changed, *plan);
    if (!status.ok()) return Violated(how, ": ", status.message());
    if (!HasConstraints(original)) return status;
    status = CheckSafety(original, RestoreOrder(*plan, order));
    if (status.ok()) return status;
    return Violated(how, " undone: ", status.message());
  }
  if (HasConstraints(changed) || !IsWrongRefusal(plan.status(), changed) ||
      !CallPlanner(planner, original).ok()) {
    return OkStatus();
  }
  // Messages refer to the last call of the planner, so the call that failed is
  // repeated.
  CallPlanner(planner, changed).IgnoreError();
  return Violated(how, ": ", RefusalText(plan.status()));
}

template <typename Plan>
Status OrderIndependence(const PlannerFn<Plan>& planner,
                         const ProblemSpec& spec) {
  const size_t count = spec.records.size();
  for (const auto& order : {BackwardOrder(count), ShuffledOrder(count)}) {
    Status status = CheckChanged(planner, spec, KeepRecords(spec, order),
                                 "with the records in another order");
    if (!status.ok()) return status;
  }
  return OkStatus();
}

Status Relabelling(const PlanFn& planner, const ProblemSpec& spec) {
  const std::vector<size_t> order = ShuffledOrder(spec.records.size());
  return CheckChanged(
      planner, spec, KeepRecords(WithTasksRenumbered(spec), order),
      "with records, tasks and streams in another order", order);
}

template <typename Plan>
Status Scaling(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  const auto scaled = Scaled(spec, 3, 1);
  if (!scaled) return OkStatus();
  return CheckChanged(planner, spec, *scaled,
                      "with sizes three times as large");
}

template <typename Plan>
Status TimeReversal(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  return CheckChanged(planner, spec, Reversed(spec), "with execution reversed",
                      FirstToLast(spec.records.size()));
}

template <typename Plan>
Status AddingARecord(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  const auto more = WithLongRecord(spec);
  if (!more) return OkStatus();
  return CheckChanged(planner, spec, *more,
                      "with a record before them that is live throughout");
}

bool SameRecords(const ProblemSpec& a, const ProblemSpec& b) {
  const auto same = [](const ByteRecord& x, const ByteRecord& y) {
    return x.tensor_size == y.tensor_size && x.first_task == y.first_task &&
           x.last_task == y.last_task;
  };
  return std::equal(a.records.begin(), a.records.end(), b.records.begin(),
                    b.records.end(), same) &&
         a.names == b.names && a.alignments == b.alignments;
}

// Writes the file, reads it again, and returns the result. Returns nullopt if
// the problem cannot be written as CSV.
StatusOr<optional<ProblemFile>> WriteAndRead(const ProblemFile& file) {
  for (const ByteRecord& record : file.problem.records) {
    if (record.last_task == std::numeric_limits<TaskId>::max()) {
      return optional<ProblemFile>();
    }
  }
  const StatusOr<std::string> csv = FormatProblemCsv(file);
  if (!csv.ok()) return csv.status();
  StatusOr<ProblemFile> read = ParseProblemCsv(*csv, "round trip");
  if (!read.ok()) return read.status();
  if (SameRecords(file.problem, read->problem)) {
    return optional<ProblemFile>(*read);
  }
  return Violated("the file has different records");
}

// Writes a problem with its plan, reads it again, and checks the plan that was
// read. `part` is the member of the plan that contains the places, such as
// offsets. plan_of(file) returns the plan of a file.
template <typename PlanOfFn>
Status CheckInFile(const ProblemSpec& spec, const ProblemFile& written,
                   std::vector<size_t> FilePlan::*part, string_view name,
                   PlanOfFn plan_of) {
  const auto file = WriteAndRead(written);
  if (!file.ok()) return Violated("in a file: ", file.status().message());
  if (!*file) return OkStatus();
  if ((*file)->plan.*part != written.plan.*part) {
    return Violated("the file has different ", name);
  }
  const auto read = plan_of((*file)->problem, (*file)->plan);
  if (!read.ok()) return Violated("in a file: ", read.status().message());
  const Status status = CheckSafety(spec, *read);
  return status.ok() ? status : Violated("in a file: ", status.message());
}

Status RoundTrip(const PlanFn& planner, const ProblemSpec& spec) {
  return CheckPlanOf(planner, spec, [&](const OffsetsAssignment& plan) {
    ProblemFile file = ToFile(spec);
    file.plan.offsets = plan.offsets;
    return CheckInFile(spec, file, &FilePlan::offsets, "offsets", OffsetsOf);
  });
}

Status RoundTrip(const ObjectsPlanFn& planner, const ProblemSpec& spec) {
  return CheckPlanOf(planner, spec, [&](const Objects& plan) {
    ProblemFile file = ToFile(spec);
    file.plan.objects = plan.object_ids;
    return CheckInFile(spec, file, &FilePlan::objects, "objects", ObjectsOf);
  });
}

// Checks the offsets obtained by placing the objects one after another.
Status Conversion(const ObjectsPlanFn& planner, const ProblemSpec& spec) {
  return CheckPlanOf(planner, spec, [&](const Objects& plan) {
    for (const size_t alignment : {size_t{1}, size_t{64}}) {
      const auto arena = ObjectsToOffsets(plan, alignment);
      // Objects that no arena can hold are checked by the property `bounds`.
      if (IsOutOfRange(arena.status())) continue;
      if (!arena.ok()) {
        return Violated("as offsets: ", arena.status().message());
      }
      const Status status = CheckPlan(spec.records, *arena, alignment);
      if (!status.ok()) return Violated("as offsets: ", status.message());
    }
    return OkStatus();
  });
}

// Returns the properties for planners with the result type Plan.
template <typename Plan>
std::vector<PropertyOf<Plan>> MakeProperties() {
  std::vector<PropertyOf<Plan>> all = {
      {"completeness", "Every record that can be planned is given a place.",
       &OnRecords<Plan, Completeness>},
      {"bounds", "Every tensor ends inside its memory.",
       &OnRecords<Plan, Bounds>},
      {"safety", "No two tensors live at the same task share a byte.",
       &OnRecords<Plan, Safety>},
      {"determinism",
       "The same records have the same plan, wherever they lie in memory and "
       "whatever was planned in between.",
       &OnRecords<Plan, Determinism>},
      {"order_independence", "The records in another order have a safe plan.",
       &OnRecords<Plan, OrderIndependence>},
      {"scaling",
       "The records with sizes three times as large have a safe plan.",
       &OnRecords<Plan, Scaling>},
      {"time_reversal",
       "Execution from the last task to the first has a safe plan.",
       &OnRecords<Plan, TimeReversal>},
      {"adding_a_record",
       "The records with one more that is live throughout have a safe plan.",
       &OnRecords<Plan, AddingARecord>},
      {"round_trip",
       "Trace and plan are unchanged by writing and reading them.",
       &OnRecords<Plan, RoundTrip>}};
  if constexpr (std::is_same_v<Plan, OffsetsAssignment>) {
    all.insert(all.begin() + 2,
               {"alignment", "Every offset is a multiple of its alignment.",
                &OnRecords<Plan, AlignmentHolds>});
  } else {
    all.insert(all.end() - 1,
               {"conversion", "Laid out as offsets, the objects are safe.",
                &OnRecords<Plan, Conversion>});
  }
  return all;
}

template <Property::Check kCheck>
constexpr Property::Check kOnProblems = &OnProblems<OffsetsAssignment, kCheck>;

// The properties that ProblemProperties returns. A property is checked if the
// planner supports its feature. Properties of the feature kOffsets are checked
// for every planner.
constexpr struct {
  Feature feature;
  Property property;
} kOfProblems[] = {
    {Feature::kOffsets,
     {"problem_completeness", "Every problem that can be planned has a plan.",
      kOnProblems<Completeness>}},
    {Feature::kFixedOffsets,
     {"fixed_offsets", "Records with a fixed offset lie there.",
      kOnProblems<Honours<Feature::kFixedOffsets>>}},
    {Feature::kPlaces,
     {"places", "Records lie in their ranges, and outside of holes.",
      kOnProblems<Honours<Feature::kPlaces>>}},
    {Feature::kGroups,
     {"groups", "Records of a group keep their displacements.",
      kOnProblems<Honours<Feature::kGroups>>}},
    {Feature::kApart,
     {"apart", "Records that are apart share no byte, whenever they are live.",
      kOnProblems<Honours<Feature::kApart>>}},
    {Feature::kPools,
     {"pools", "Records lie in a pool that they may use, within its capacity.",
      kOnProblems<Honours<Feature::kPools>>}},
    {Feature::kPartialOrder,
     {"partial_order", "Tasks that are not ordered share no byte.",
      kOnProblems<Honours<Feature::kPartialOrder>>}},
    {Feature::kOffsets,
     {"problem_safety",
      "Plans of problems are aligned, and records that conflict share no byte.",
      kOnProblems<Honours<Feature::kOffsets>>}},
    {Feature::kOffsets,
     {"problem_determinism", "The same problem has the same plan.",
      kOnProblems<Determinism>}},
    {Feature::kOffsets,
     {"problem_reversal",
      "With execution reversed a problem has a plan that it may keep.",
      kOnProblems<TimeReversal>}},
    {Feature::kOffsets,
     {"problem_relabelling",
      "With records, tasks and streams in another order a problem has a plan "
      "that it may keep.",
      kOnProblems<Relabelling>}},
};

}  // namespace

Span<const Property> AllProperties() {
  static const auto* const all =
      new std::vector<Property>(MakeProperties<OffsetsAssignment>());
  return *all;
}

Span<const ObjectsProperty> AllObjectsProperties() {
  static const auto* const all =
      new std::vector<ObjectsProperty>(MakeProperties<Objects>());
  return *all;
}

std::vector<Property> ProblemProperties(FeatureSet claims) {
  std::vector<Property> properties;
  for (const auto& [feature, property] : kOfProblems) {
    if (feature == Feature::kOffsets || claims.Has(feature)) {
      properties.push_back(property);
    }
  }
  return properties;
}

}  // namespace stowage::testing
