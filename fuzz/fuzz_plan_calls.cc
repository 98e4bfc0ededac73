// SPDX-License-Identifier: Apache-2.0
// Calls the planning library in any order on one set of records: plans,
// conversions, checks, profiles, files. The results of the calls must agree
// with each other.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "fuzz/reallocation.h"
#include "fuzz/records.h"
#include "stowage/assignment.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "tests/support/plan_request.h"
#include "tests/support/same_trace.h"

namespace stowage {
namespace {

using support::Plan;
using support::PlanRequest;

constexpr int kMaxCalls = 48;
constexpr size_t kMaxRecords = 24;

// Returns whether a plan is safe, by applying the definition to every pair of
// records.
bool IsSafe(const Records& records, const OffsetsAssignment& plan,
            const Alignments& alignments) {
  if (plan.offsets.size() != records.size()) return false;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].first_task > records[i].last_task) return false;
    if (plan.offsets[i] % alignments.Of(i) != 0) return false;
    const absl::optional<size_t> end =
        CheckedAdd(plan.offsets[i], records[i].tensor_size);
    if (!end || *end > plan.total_size) return false;
    for (size_t j = 0; j < i; ++j) {
      if (Conflict(records[i], records[j]) &&
          std::max(plan.offsets[i], plan.offsets[j]) <
              std::min(*end, plan.offsets[j] + records[j].tensor_size)) {
        return false;
      }
    }
  }
  return true;
}

bool IsSafe(const Records& records, const ObjectsAssignment<size_t>& plan) {
  if (plan.object_ids.size() != records.size()) return false;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].first_task > records[i].last_task) return false;
    const size_t id = plan.object_ids[i];
    if (id >= plan.object_sizes.size()) return false;
    if (plan.object_sizes[id] < records[i].tensor_size) return false;
    for (size_t j = 0; j < i; ++j) {
      const bool is_shared = plan.object_ids[j] == id &&
                             records[i].tensor_size > 0 &&
                             records[j].tensor_size > 0;
      if (is_shared && Conflict(records[i], records[j])) return false;
    }
  }
  return true;
}

class Caller {
 public:
  explicit Caller(Input* input) : input_(*input) {}

  void Run() {
    for (int i = 0; i < kMaxCalls && !input_.is_empty(); ++i) Call();
  }

 private:
  void Call();
  void ChangeRecords();
  void PlanBoth();
  void ChangePlan();
  void Convert();
  void Verify() const;
  void Bound() const;
  void WriteAndRead();
  void BuildGraph();

  size_t count() const { return records_.size(); }
  Alignments alignments() const {
    if (alignments_.size() != count()) return {};
    return Alignments(alignments_);
  }
  const std::string& TakeStrategy() {
    return input_.OneOf(AllStrategies())->info().name;
  }

  Input& input_;
  Records records_;
  std::vector<size_t> alignments_;
  OffsetsAssignment offsets_;
  ObjectsAssignment<size_t> objects_;
};

void Caller::Call() {
  switch (input_.UpTo(9)) {
    case 0:
    case 1:
      return ChangeRecords();
    case 2:
      alignments_ = TakeAlignments(&input_, count());
      return;
    case 3:
      return PlanBoth();
    case 4:
      return ChangePlan();
    case 5:
      return Convert();
    case 6:
      return Verify();
    case 7:
      return Bound();
    case 8:
      return WriteAndRead();
    default:
      return BuildGraph();
  }
}

void Caller::ChangeRecords() {
  if (count() < kMaxRecords && input_.Flag()) {
    records_.push_back(TakeRecord(&input_));
  } else if (!records_.empty()) {
    records_[input_.UpTo(count() - 1)] = TakeRecord(&input_);
  }
}

void Caller::PlanBoth() {
  PlanRequest options;
  options.strategy = TakeStrategy();
  options.alignments = alignments();
  options.search.node_budget = 200;
  options.search.threads = 1;
  const absl::StatusOr<Solution> offsets = Plan(records_, options);
  if (offsets.ok()) {
    offsets_ = *offsets->offsets();
    Check(IsSafe(records_, offsets_, alignments()), options.strategy);
  }
  options.kind = PlanKind::kObjects;
  const absl::StatusOr<Solution> objects = Plan(records_, options);
  if (!objects.ok()) return;
  objects_ = *objects->objects();
  Check(IsSafe(records_, objects_), options.strategy);
  Check(TotalSize(objects_).value() == objects->total_size, "another total");
}

void Caller::ChangePlan() {
  if (input_.Flag() && !offsets_.offsets.empty()) {
    offsets_.offsets[input_.UpTo(offsets_.offsets.size() - 1)] =
        input_.Number();
  } else if (input_.Flag()) {
    offsets_.total_size = input_.Number();
  } else if (!objects_.object_ids.empty()) {
    objects_.object_ids[input_.UpTo(objects_.object_ids.size() - 1)] =
        input_.UpTo(objects_.object_sizes.size());
  } else {
    objects_.object_sizes.push_back(input_.Number());
  }
}

void Caller::Convert() {
  const bool is_listed = alignments_.size() == objects_.object_ids.size();
  const Alignments each =
      is_listed ? Alignments(alignments_) : Alignments(TakeAlignment(&input_));
  const absl::StatusOr<OffsetsAssignment> layout =
      ObjectsToOffsets(objects_, each);
  if (!layout.ok()) {
    Check(absl::IsInvalidArgument(layout.status()) ||
              absl::IsOutOfRange(layout.status()),
          layout.status().ToString());
    return;
  }
  // If the assignment of objects is safe, its layout as offsets must be safe
  // too.
  Check(!IsSafe(records_, objects_) || IsSafe(records_, *layout, each),
        "objects laid out unsafely");
  offsets_ = *layout;
}

void Caller::Verify() const {
  const Alignments each = alignments();
  if (each.Check(count()).ok()) {
    const auto violation = FindViolation(records_, offsets_, each);
    Check(!violation == IsSafe(records_, offsets_, each),
          violation ? Describe(*violation) : "an unsafe plan of offsets");
  }
  const auto violation = FindViolation(records_, objects_);
  Check(!violation == IsSafe(records_, objects_),
        violation ? Describe(*violation) : "an unsafe plan of objects");
}

void Caller::Bound() const {
  if (!CheckUsageRecords(records_).ok()) return;
  const TaskBreadth peak = MaximumBreadth(records_);
  size_t live_bytes = 0;
  for (const size_t i : TaskProfile(records_, peak.task)) {
    live_bytes += records_[i].tensor_size;
  }
  Check(live_bytes == peak.breadth, "another breadth");
  size_t broadest = 0;
  for (const TaskBreadth& task : TaskBreadths(records_)) {
    broadest = std::max(broadest, task.breadth);
  }
  Check(broadest == peak.breadth, "another maximum");
  Check(OffsetsLowerBound(records_) == peak.breadth, "another bound");
  Check(peak.breadth <= ObjectsLowerBound(records_), "objects below offsets");
  Check(ObjectsLowerBound(records_) <= NaiveSize(records_), "above the sum");
}

void Caller::WriteAndRead() {
  ProblemFile trace;
  for (size_t i = 0; i < count(); ++i) {
    trace.problem.names.push_back(absl::StrCat(i));
  }
  trace.problem.records = records_;
  if (alignments_.size() == count()) trace.problem.alignments = alignments_;
  if (offsets_.offsets.size() == count()) trace.plan.offsets = offsets_.offsets;
  if (objects_.object_ids.size() == count()) {
    trace.plan.objects = objects_.object_ids;
  }
  const absl::StatusOr<std::string> text = FormatProblemCsv(trace);
  if (!text.ok()) {
    Check(absl::IsInvalidArgument(text.status()) ||
              absl::IsOutOfRange(text.status()),
          text.status().ToString());
    return;
  }
  const absl::StatusOr<ProblemFile> read = ParseProblemCsv(*text, "fuzz.csv");
  Check(read.ok(), read.status().ToString());
  Check(support::IsSame(*read, trace), "read otherwise");
}

void Caller::BuildGraph() {
  UsageGraph deps(count());
  for (std::vector<size_t>& next : deps) {
    while (next.size() < 4 && input_.Flag()) {
      next.push_back(input_.UpTo(count()));
    }
  }
  const absl::StatusOr<UsageGraph> graph = BuildReallocationGraph(deps);
  if (!graph.ok()) {
    Check(absl::IsInvalidArgument(graph.status()), graph.status().ToString());
    return;
  }
  ObjectsAssignment<size_t> plan;
  const absl::Status status = AssignObjectsToTensors(
      records_, MemoryStrategy::GREEDY_IN_ORDER, &plan, &*graph);
  if (!status.ok()) {
    Check(!CheckUsageRecords(records_).ok(), status.ToString());
    return;
  }
  Check(IsSafe(records_, plan), "an unsafe plan under a graph");
  Check(Honours(*graph, records_, plan), "shares against the graph");
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Input input(data, size);
  stowage::Caller(&input).Run();
  return 0;
}
