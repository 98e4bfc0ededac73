// SPDX-License-Identifier: Apache-2.0
#include "src/harness/compare_runs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/harness/compare_outputs.h"
#include "stowage/error_payload.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shared_arena.h"
#include "stowage/harness/tensor.h"
#include "stowage/planner.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// The two patterns that fill bytes that are not live, one for each run.
// Elements of any type that consist of such bytes are huge in one run and zero
// in the other: 3.4e38 and 0, 127 and 0, true and false.
constexpr uint8_t kPatternUnderPlan = 0x7F;
constexpr uint8_t kPatternApart = 0x00;

// The number of guard bytes after the arena, in which writes beyond the last
// tensor are detected.
constexpr size_t kGuardBytes = 4096;

// Holds an interpreter with the checks that the options request.
class CheckedRun {
 public:
  CheckedRun(const CheckOptions& options, uint8_t pattern)
      : options_(options), entries_(EntriesOf(options)), poison_(pattern) {}

  // If `takes_turns` is true, all entries run in one arena.
  absl::Status Load(const Model& model, const OperatorResolver& resolver,
                    InterpreterOptions plan, bool takes_turns) {
    if (options_.poison) plan.observers.push_back(&poison_);
    if (options_.touch) plan.observers.push_back(&touch_);
    plan.guard_bytes = std::max(plan.guard_bytes, kGuardBytes);
    plan.shared_arena = nullptr;
    if (takes_turns) {
      plan.shared_arena = std::make_shared<SharedArena>(
          std::exchange(plan.memory_limit, size_t{0}));
    }
    auto interpreter = Interpreter::Create(model, resolver, plan);
    if (!interpreter.ok()) return interpreter.status();
    interpreter_ = *std::move(interpreter);
    return absl::OkStatus();
  }

  // Makes entry `entry` ready for an invocation.
  absl::Status Feed(size_t entry, size_t invocation) {
    Subgraph& net = graph(entry);
    absl::Status status = invocation == 0 ? net.Allocate() : net.TakeArena();
    if (status.ok()) status = entries_[entry].feed(net, invocation);
    return status.ok() || entries() == 1
               ? status
               : AtPlace(absl::StrCat("subgraph ", index(entry)), status);
  }

  Interpreter& interpreter() { return *interpreter_; }
  size_t entries() const { return entries_.size(); }
  size_t index(size_t entry) const { return entries_[entry].subgraph; }
  Subgraph& graph(size_t entry) { return interpreter_->subgraph(index(entry)); }

 private:
  const CheckOptions& options_;
  // A source of random inputs continues after its last invocation, so each run
  // needs copies of its own.
  std::vector<CheckedFollower> entries_;
  PoisonChecker poison_;
  TouchChecker touch_;
  std::unique_ptr<Interpreter> interpreter_;
};

InterpreterOptions WithoutSharing(const InterpreterOptions& plan) {
  InterpreterOptions apart = plan;
  apart.strategy = "naive";
  apart.kind = PlanKind::kOffsets;
  apart.planner = nullptr;
  apart.preserve_all_tensors = true;
  // Delegates get the same partitions as under the plan, since a kernel that
  // computes several operators at once may round differently.
  apart.splits_partitions = plan.splits_partitions && plan.preserve_all_tensors;
  apart.streams = 1;
  apart.observers.clear();
  return apart;
}

absl::optional<Difference> CompareResults(const Subgraph& apart,
                                          const Subgraph& shared,
                                          size_t subgraph, size_t invocation) {
  const SubgraphSpec& graph = shared.spec();
  std::vector<size_t> tensors = graph.outputs;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].is_variable) tensors.push_back(t);
  }
  for (const size_t t : tensors) {
    const auto difference = CompareTensors(apart.tensor(t), shared.tensor(t));
    if (difference) {
      return Placed(*difference, graph, subgraph, invocation, t);
    }
  }
  return absl::nullopt;
}

// Runs one invocation of an entry under the plan, after the same invocation has
// succeeded without sharing. An error of this run is therefore a finding of the
// report, unless the run was cancelled or memory was exhausted.
absl::Status RunShared(size_t entry, size_t invocation, CheckedRun* apart,
                       CheckedRun* shared, const OutputComparer& comparer,
                       RunProgress* progress, CheckReport* report) {
  progress->invocation = invocation;
  progress->is_feeding = true;
  absl::Status status = shared->Feed(entry, invocation);
  progress->is_feeding = false;
  if (!status.ok()) return status;
  Subgraph& graph = shared->graph(entry);
  if (entry == 0) {
    report->plan_strategy = graph.plan().strategy;
    progress->plans.push_back(graph.plan());
  }
  status = graph.Invoke();
  if (absl::IsCancelled(status) || absl::IsResourceExhausted(status)) {
    return status;
  }
  report->difference = comparer.difference();
  if (report->difference) return absl::OkStatus();
  report->finding = status;
  if (status.ok()) {
    report->difference = CompareResults(apart->graph(entry), graph,
                                        shared->index(entry), invocation);
  }
  return absl::OkStatus();
}

// Runs one invocation of an entry in both interpreters.
absl::Status RunBoth(size_t entry, size_t invocation, CheckedRun* apart,
                     CheckedRun* shared, const OutputComparer& comparer,
                     RunProgress* progress, CheckReport* report) {
  absl::Status status = apart->Feed(entry, invocation);
  if (status.ok()) status = apart->graph(entry).Invoke();
  if (absl::IsDataLoss(status)) {
    report->finding = status;
    report->is_without_sharing = true;
    return absl::OkStatus();
  }
  return status.ok() ? RunShared(entry, invocation, apart, shared, comparer,
                                 progress, report)
                     : status;
}

}  // namespace

std::vector<CheckedFollower> EntriesOf(const CheckOptions& options) {
  std::vector<CheckedFollower> entries = {{options.subgraph, options.feed}};
  entries.insert(entries.end(), options.followers.begin(),
                 options.followers.end());
  return entries;
}

absl::Status CheckEntries(const Model& model, const CheckOptions& options) {
  std::set<size_t> seen;
  for (const CheckedFollower& entry : EntriesOf(options)) {
    absl::Status status = model.CheckSubgraph(entry.subgraph);
    if (!status.ok()) return status;
    if (entry.feed == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          model.name(), ": no inputs; expected a feed for subgraph ",
          entry.subgraph));
    }
    if (!seen.insert(entry.subgraph).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(model.name(), ": subgraph ", entry.subgraph,
                       " follows itself; expected each of them once"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<CheckReport> CompareRuns(const Model& model,
                                        const OperatorResolver& resolver,
                                        const CheckOptions& options,
                                        RunProgress* progress) {
  CheckedRun apart(options, kPatternApart);
  std::set<size_t> entries;
  for (const CheckedFollower& entry : EntriesOf(options)) {
    entries.insert(entry.subgraph);
  }
  CalledOutputs called(std::move(entries));
  InterpreterOptions without_sharing = WithoutSharing(options.plan);
  if (options.compares_all) without_sharing.observers.push_back(&called);
  absl::Status status = apart.Load(model, resolver, std::move(without_sharing),
                                   /*takes_turns=*/false);
  if (!status.ok()) return status;
  OutputComparer comparer(&apart.interpreter(), &called);
  InterpreterOptions plan = options.plan;
  if (options.compares_all) plan.observers.push_back(&comparer);
  // The arena moves before each invocation, so that a delegate that has kept
  // pointers from an earlier invocation reads other bytes.
  plan.moves_arena = plan.moves_arena || !plan.delegates.empty();
  CheckedRun shared(options, kPatternUnderPlan);
  status =
      shared.Load(model, resolver, std::move(plan), !options.followers.empty());
  if (!status.ok()) return status;
  CheckReport report;
  for (size_t k = 0; k < options.invocations; ++k) {
    for (size_t entry = 0; entry < shared.entries(); ++entry) {
      if (!report.is_safe()) break;
      called.Clear();
      status = RunBoth(entry, k, &apart, &shared, comparer, progress, &report);
      if (!status.ok()) return status;
    }
  }
  report.shadowed = shared.interpreter().ShadowedOperators();
  return report;
}

}  // namespace stowage::harness
