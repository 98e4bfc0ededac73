// SPDX-License-Identifier: Apache-2.0
#include "src/command/run_events.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "src/command/event_file.h"
#include "src/command/inputs.h"
#include "src/command/run_options.h"
#include "stowage/explain/plan_view.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/recorder.h"
#include "stowage/io/problem_file.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {

absl::Status PlanRecorder::AfterOperator(const harness::Execution& at) {
  const bool is_last = at.node + 1 == at.plan->graph.nodes.size();
  if (at.subgraph != subgraph_ || at.invocation != 0 || !is_last) {
    return absl::OkStatus();
  }
  plan_ = ProblemFile();
  const ArenaRecords records = at.plan->Records();
  for (size_t i = 0; i < records.records.size(); ++i) {
    const size_t tensor = records.tensors[i];
    // A tensor whose memory the caller provides has no offset.
    if (!at.plan->offsets[tensor]) continue;
    plan_.problem.names.push_back(absl::StrCat(tensor));
    plan_.problem.records.push_back(records.records[i]);
    plan_.plan.offsets.push_back(*at.plan->offsets[tensor]);
    if (!records.places.empty()) {
      plan_.problem.constraints.places.push_back(records.places[i]);
    }
    plan_.problem.labels.tensors.emplace_back();
    if (tensor < at.graph->tensors.size()) {
      plan_.problem.labels.tensors.back().name = at.graph->tensors[tensor].name;
    }
  }
  return absl::OkStatus();
}

absl::Status WriteRunEvents(const RunArgs& args, const PlanRecorder& recorder,
                            const harness::Profiler& profiler) {
  if (args.events.path.empty()) return absl::OkStatus();
  ProblemFile plan = recorder.plan();
  std::vector<uint64_t> times;
  for (const harness::Profiler::Entry& entry : profiler.Operators()) {
    if (entry.subgraph != args.options.subgraph || entry.runs == 0) continue;
    if (entry.node >= times.size()) times.resize(entry.node + 1);
    if (entry.node >= plan.problem.labels.operators.size()) {
      plan.problem.labels.operators.resize(entry.node + 1);
    }
    plan.problem.labels.operators[entry.node] = entry.name;
    const int64_t mean = absl::ToInt64Nanoseconds(entry.total) /
                         static_cast<int64_t>(entry.runs);
    times[entry.node] = mean > 0 ? static_cast<uint64_t>(mean) : 0;
  }
  const absl::StatusOr<views::PlanView> view =
      views::ViewPlan(std::move(plan), {InputName(args.model), ""});
  if (!view.ok()) return AboutInput(args.model, {}, view.status());
  return WriteEventFile(args.events, {*view}, std::move(times));
}

}  // namespace stowage::cli
