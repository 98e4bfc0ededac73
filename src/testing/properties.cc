// SPDX-License-Identifier: Apache-2.0
// Defines the properties of every correct planner: AllProperties() of
// properties.h.
#include "stowage/testing/properties.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/testing/sides.h"
#include "src/testing/transforms.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/trace.h"
#include "stowage/verify.h"

namespace stowage::testing {
namespace {

template <typename Side>
absl::Status CheckCount(const typename Side::Plan& plan,
                        const Instance& instance) {
  const size_t places = Side::CountPlaces(plan);
  if (places == instance.records.size()) return absl::OkStatus();
  return Violated("there are ", places, " places for ", instance.records.size(),
                  " records");
}

template <typename Side>
absl::Status Completeness(const typename Side::Fn& planner,
                          const Instance& instance) {
  const auto plan = Side::CallPlanner(planner, instance);
  if (plan.ok()) return CheckCount<Side>(*plan, instance);
  if (!IsWrongRefusal(plan.status(), instance)) return absl::OkStatus();
  return Violated(RefusalText(plan.status()));
}

// Returns the error of `judge` for the plan, or OK if there is no plan.
template <typename Side, typename JudgeFn>
absl::Status JudgePlan(const typename Side::Fn& planner,
                       const Instance& instance, JudgeFn judge) {
  const auto plan = Side::CallPlanner(planner, instance);
  if (!plan.ok()) return absl::OkStatus();
  if (absl::Status status = CheckCount<Side>(*plan, instance); !status.ok()) {
    return status;
  }
  return judge(instance, *plan);
}

absl::Status OffsetsBounds(const PlanFn& planner, const Instance& instance) {
  return JudgePlan<OffsetsSide>(
      planner, instance, [](const Instance& in, const OffsetsAssignment& plan) {
        for (size_t i = 0; i < in.records.size(); ++i) {
          const auto end =
              CheckedAdd(plan.offsets[i], in.records[i].tensor_size);
          if (end && *end <= plan.total_size) continue;
          return Violated("tensor ", i, " with ", in.records[i].tensor_size,
                          " bytes at offset ", plan.offsets[i],
                          " ends beyond the arena of ", plan.total_size);
        }
        return absl::OkStatus();
      });
}

absl::Status ObjectsBounds(const ObjectsPlanFn& planner,
                           const Instance& instance) {
  return JudgePlan<ObjectsSide>(
      planner, instance,
      [](const Instance& in, const ObjectsAssignment<size_t>& plan) {
        const size_t objects = plan.object_sizes.size();
        for (size_t i = 0; i < in.records.size(); ++i) {
          const size_t object = plan.object_ids[i];
          if (object >= objects) {
            return Violated("tensor ", i, " is in object ", object, " of ",
                            objects);
          }
          if (plan.object_sizes[object] >= in.records[i].tensor_size) continue;
          return Violated("tensor ", i, " with ", in.records[i].tensor_size,
                          " bytes is larger than its object ", object, " of ",
                          plan.object_sizes[object]);
        }
        return absl::OkStatus();
      });
}

absl::Status AlignmentHolds(const PlanFn& planner, const Instance& instance) {
  return JudgePlan<OffsetsSide>(
      planner, instance, [](const Instance& in, const OffsetsAssignment& plan) {
        const Alignments alignments = in.alignment();
        for (size_t i = 0; i < in.records.size(); ++i) {
          if (plan.offsets[i] % alignments.Of(i) == 0) continue;
          return Violated("tensor ", i, " starts at byte ", plan.offsets[i],
                          ", which is not a multiple of ", alignments.Of(i));
        }
        return absl::OkStatus();
      });
}

// Checks only that tensors do not overlap. Other properties check the
// alignments and the end of the arena.
absl::Status OffsetsSafety(const PlanFn& planner, const Instance& instance) {
  return JudgePlan<OffsetsSide>(
      planner, instance, [](const Instance& in, OffsetsAssignment plan) {
        plan.total_size = 0;
        for (size_t i = 0; i < in.records.size(); ++i) {
          const auto end =
              CheckedAdd(plan.offsets[i], in.records[i].tensor_size);
          plan.total_size =
              std::max(plan.total_size,
                       end.value_or(std::numeric_limits<size_t>::max()));
        }
        return CheckPlan(in.records, plan);
      });
}

absl::Status ObjectsSafety(const ObjectsPlanFn& planner,
                           const Instance& instance) {
  return JudgePlan<ObjectsSide>(planner, instance, &ObjectsSide::CheckSafety);
}

template <typename Plan>
absl::Status SameAnswer(const absl::StatusOr<Plan>& once,
                        const absl::StatusOr<Plan>& again) {
  if (once.ok() != again.ok()) {
    return Violated("the planner refused the same records once: ",
                    (once.ok() ? again : once).status().message());
  }
  if (!once.ok() || SamePlan(*once, *again)) return absl::OkStatus();
  return Violated("the planner returned a different plan for the same records");
}

// Compares the answers of three calls with the same records. The second call
// has the records elsewhere in memory. The third call follows a call with other
// records, because a planner may keep state from call to call.
template <typename Side>
absl::Status Determinism(const typename Side::Fn& planner,
                         const Instance& instance) {
  const auto once = Side::CallPlanner(planner, instance);
  const Instance copy = instance;
  absl::Status status = SameAnswer(once, Side::CallPlanner(planner, copy));
  if (!status.ok() || instance.records.empty()) return status;
  // The result of this call does not matter.
  Side::CallPlanner(planner, WithLongRecord(instance)).IgnoreError();
  return SameAnswer(once, Side::CallPlanner(planner, instance));
}

// Checks the plan for `changed`, which the planner has no reason to refuse if
// it plans `original`. Error: Internal if there is no safe plan.
template <typename Side>
absl::Status CheckChangedRecords(const typename Side::Fn& planner,
                                 const Instance& original,
                                 const Instance& changed,
                                 absl::string_view how) {
  const auto plan = Side::CallPlanner(planner, changed);
  if (plan.ok()) {
    absl::Status status = Side::CheckSafety(changed, *plan);
    if (status.ok()) return status;
    return Violated(how, ": ", status.message());
  }
  if (!IsWrongRefusal(plan.status(), changed) ||
      !Side::CallPlanner(planner, original).ok()) {
    return absl::OkStatus();
  }
  // The call that fails must be the last one.
  Side::CallPlanner(planner, changed).IgnoreError();
  return Violated(how, ": ", RefusalText(plan.status()));
}

template <typename Side>
absl::Status OrderIndependence(const typename Side::Fn& planner,
                               const Instance& instance) {
  const size_t count = instance.records.size();
  for (const auto& order : {BackwardOrder(count), ShuffledOrder(count)}) {
    absl::Status status =
        CheckChangedRecords<Side>(planner, instance, Reordered(instance, order),
                                  "with the records in another order");
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

template <typename Side>
absl::Status Scaling(const typename Side::Fn& planner,
                     const Instance& instance) {
  const auto scaled = Scaled(instance, 3, 1);
  if (!scaled) return absl::OkStatus();
  return CheckChangedRecords<Side>(planner, instance, *scaled,
                                   "with sizes three times as large");
}

template <typename Side>
absl::Status TimeReversal(const typename Side::Fn& planner,
                          const Instance& instance) {
  return CheckChangedRecords<Side>(planner, instance, Reversed(instance),
                                   "with execution reversed");
}

template <typename Side>
absl::Status AddingARecord(const typename Side::Fn& planner,
                           const Instance& instance) {
  if (instance.records.empty()) return absl::OkStatus();
  return CheckChangedRecords<Side>(
      planner, instance, WithLongRecord(instance),
      "with a record before them that is live throughout");
}

bool SameRecords(const Trace& a, const Trace& b) {
  const auto same = [](const ByteRecord& x, const ByteRecord& y) {
    return x.tensor_size == y.tensor_size && x.first_task == y.first_task &&
           x.last_task == y.last_task;
  };
  return std::equal(a.records.begin(), a.records.end(), b.records.begin(),
                    b.records.end(), same) &&
         a.ids == b.ids && a.alignments == b.alignments;
}

// Returns the trace after writing and reading it, or nullopt if no file can
// hold it.
absl::StatusOr<absl::optional<Trace>> WriteAndRead(const Trace& trace) {
  for (const ByteRecord& record : trace.records) {
    if (record.last_task == std::numeric_limits<TaskId>::max()) {
      return absl::optional<Trace>();
    }
  }
  const absl::StatusOr<std::string> csv = FormatTraceCsv(trace);
  if (!csv.ok()) return csv.status();
  absl::StatusOr<Trace> read = ParseTraceCsv(*csv, "round trip");
  if (!read.ok()) return read.status();
  if (SameRecords(trace, *read)) return absl::optional<Trace>(*read);
  return Violated("the file has different records");
}

absl::Status OffsetsRoundTrip(const PlanFn& planner, const Instance& instance) {
  return JudgePlan<OffsetsSide>(
      planner, instance, [](const Instance& in, const OffsetsAssignment& plan) {
        Trace trace = ToTrace(in);
        trace.offsets = plan.offsets;
        const auto file = WriteAndRead(trace);
        if (!file.ok()) return Violated("in a file: ", file.status().message());
        if (!*file) return absl::OkStatus();
        const auto read = OffsetsOf(**file);
        if (!read.ok()) return Violated("in a file: ", read.status().message());
        if (read->offsets != plan.offsets) {
          return Violated("the file has different offsets");
        }
        const absl::Status status =
            CheckPlan((*file)->records, *read, (*file)->alignment());
        return status.ok() ? status : Violated("in a file: ", status.message());
      });
}

absl::Status ObjectsRoundTrip(const ObjectsPlanFn& planner,
                              const Instance& instance) {
  return JudgePlan<ObjectsSide>(
      planner, instance,
      [](const Instance& in, const ObjectsAssignment<size_t>& plan) {
        Trace trace = ToTrace(in);
        trace.objects = plan.object_ids;
        const auto file = WriteAndRead(trace);
        if (!file.ok()) return Violated("in a file: ", file.status().message());
        if (!*file) return absl::OkStatus();
        if ((*file)->objects != plan.object_ids) {
          return Violated("the file has different objects");
        }
        const auto read = ObjectsOf(**file);
        if (!read.ok()) return Violated("in a file: ", read.status().message());
        const absl::Status status = CheckPlan((*file)->records, *read);
        return status.ok() ? status : Violated("in a file: ", status.message());
      });
}

// Checks the offsets that result from laying out the objects one after another.
absl::Status Conversion(const ObjectsPlanFn& planner,
                        const Instance& instance) {
  return JudgePlan<ObjectsSide>(
      planner, instance,
      [](const Instance& in, const ObjectsAssignment<size_t>& plan) {
        for (const size_t alignment : {size_t{1}, size_t{64}}) {
          const auto arena = ObjectsToOffsets(plan, alignment);
          // The property `bounds` checks objects that no arena can hold.
          if (absl::IsOutOfRange(arena.status())) continue;
          if (!arena.ok()) {
            return Violated("as offsets: ", arena.status().message());
          }
          const absl::Status status = CheckPlan(in.records, *arena, alignment);
          if (!status.ok()) return Violated("as offsets: ", status.message());
        }
        return absl::OkStatus();
      });
}

constexpr PropertyText kCompleteness = {
    "completeness", "Every record that can be planned is given a place."};
constexpr PropertyText kBounds = {"bounds",
                                  "Every tensor ends inside its memory."};
constexpr PropertyText kAlignment = {
    "alignment", "Every offset is a multiple of its alignment."};
constexpr PropertyText kSafety = {
    "safety", "No two tensors live at the same task share a byte."};
constexpr PropertyText kDeterminism = {
    "determinism",
    "The same records have the same plan, wherever they lie in memory and "
    "whatever was planned in between."};
constexpr PropertyText kOrderIndependence = {
    "order_independence", "The records in another order have a safe plan."};
constexpr PropertyText kScaling = {
    "scaling", "The records with sizes three times as large have a safe plan."};
constexpr PropertyText kTimeReversal = {
    "time_reversal",
    "Execution from the last task to the first has a safe plan."};
constexpr PropertyText kAddingARecord = {
    "adding_a_record",
    "The records with one more that is live throughout have a safe plan."};
constexpr PropertyText kConversion = {
    "conversion", "Laid out as offsets, the objects are safe."};
constexpr PropertyText kRoundTrip = {
    "round_trip", "Trace and plan are unchanged by writing and reading them."};

template <absl::Status (*kCheck)(const PlanFn&, const Instance&)>
constexpr Property OfOffsets(const PropertyText& text) {
  return {text.name, text.sentence, &OnOffsets<kCheck>};
}

template <absl::Status (*kCheck)(const ObjectsPlanFn&, const Instance&)>
constexpr ObjectsProperty OfObjects(const PropertyText& text) {
  return {text.name, text.sentence, &OnObjects<kCheck>};
}

constexpr Property kAll[] = {
    OfOffsets<&Completeness<OffsetsSide>>(kCompleteness),
    OfOffsets<&OffsetsBounds>(kBounds),
    OfOffsets<&AlignmentHolds>(kAlignment),
    OfOffsets<&OffsetsSafety>(kSafety),
    OfOffsets<&Determinism<OffsetsSide>>(kDeterminism),
    OfOffsets<&OrderIndependence<OffsetsSide>>(kOrderIndependence),
    OfOffsets<&Scaling<OffsetsSide>>(kScaling),
    OfOffsets<&TimeReversal<OffsetsSide>>(kTimeReversal),
    OfOffsets<&AddingARecord<OffsetsSide>>(kAddingARecord),
    OfOffsets<&OffsetsRoundTrip>(kRoundTrip),
};

constexpr ObjectsProperty kAllOfObjects[] = {
    OfObjects<&Completeness<ObjectsSide>>(kCompleteness),
    OfObjects<&ObjectsBounds>(kBounds),
    OfObjects<&ObjectsSafety>(kSafety),
    OfObjects<&Determinism<ObjectsSide>>(kDeterminism),
    OfObjects<&OrderIndependence<ObjectsSide>>(kOrderIndependence),
    OfObjects<&Scaling<ObjectsSide>>(kScaling),
    OfObjects<&TimeReversal<ObjectsSide>>(kTimeReversal),
    OfObjects<&AddingARecord<ObjectsSide>>(kAddingARecord),
    OfObjects<&Conversion>(kConversion),
    OfObjects<&ObjectsRoundTrip>(kRoundTrip),
};

}  // namespace

absl::Span<const Property> AllProperties() { return kAll; }

absl::Span<const ObjectsProperty> AllObjectsProperties() {
  return kAllOfObjects;
}

}  // namespace stowage::testing
