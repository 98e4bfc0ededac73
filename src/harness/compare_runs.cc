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

// The patterns with which the two runs fill bytes that are not live. As
// elements of any type, such bytes are huge in one run and zero in the other:
// 3.4e38 and 0, 127 and 0, true and false.
constexpr uint8_t kPatternUnderPlan = 0x7F;
constexpr uint8_t kPatternApart = 0x00;

// The number of guard bytes after the arena. They reveal writes beyond the last
// tensor.
constexpr size_t kGuardBytes = 4096;

// Runs models in interpreters with the checks that the options request.
class CheckedRun {
 public:
  CheckedRun(const Model& model, const CheckOptions& options, uint8_t pattern)
      : options_(options),
        turns_(EntriesOf(model, options), options.hand_overs),
        poison_(turns_.models(), PoisonChecker(pattern)),
        touch_(turns_.models()),
        feeds_({options.feed}) {
    for (const CheckedFollower& follower : options.followers) {
      feeds_.push_back(follower.feed);
    }
  }

  // Requires that `observers` is empty or has one observer for each model. If
  // `shares` is true, all entries run in one arena.
  absl::Status Load(const OperatorResolver& resolver, InterpreterOptions plan,
                    const std::vector<ExecutionObserver*>& observers,
                    bool shares) {
    plan.guard_bytes = std::max(plan.guard_bytes, kGuardBytes);
    plan.shared_arena = nullptr;
    if (shares) {
      plan.shared_arena = std::make_shared<SharedArena>(
          std::exchange(plan.memory_limit, size_t{0}));
    }
    return turns_.Load(resolver, [&](size_t model) {
      InterpreterOptions of_model = plan;
      if (!observers.empty()) of_model.observers.push_back(observers[model]);
      if (options_.poison) of_model.observers.push_back(&poison_[model]);
      if (options_.touch) of_model.observers.push_back(&touch_[model]);
      return of_model;
    });
  }

  // Prepares entry `entry` for an invocation.
  absl::Status Feed(size_t entry, size_t invocation) {
    Subgraph& net = turns_.graph(entry);
    absl::Status status = invocation == 0 ? net.Allocate() : net.TakeArena();
    if (status.ok()) status = feeds_[entry](net, invocation);
    if (status.ok()) status = turns_.Give(entry);
    return turns_.At(entry, status);
  }

  Turns& turns() { return turns_; }

 private:
  const CheckOptions& options_;
  Turns turns_;
  std::vector<PoisonChecker> poison_;  // by model
  std::vector<TouchChecker> touch_;    // by model
  // The sources of inputs. Each run has its own copies, because a source of
  // random inputs continues where its last invocation stopped.
  std::vector<decltype(CheckOptions::feed)> feeds_;
};

InterpreterOptions WithoutSharing(const InterpreterOptions& plan) {
  InterpreterOptions apart = plan;
  apart.strategy = "naive";
  apart.kind = PlanKind::kOffsets;
  apart.planner = nullptr;
  apart.preserve_all_tensors = true;
  // Delegates get the same partitions as under the plan, because a kernel that
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

// Runs one invocation of an entry under the plan. The same invocation has
// already succeeded without sharing, so an error here is a finding for the
// report, unless the run was cancelled or memory was exhausted.
absl::Status RunShared(size_t entry, size_t invocation, CheckedRun* apart,
                       CheckedRun* shared, const OutputComparer& comparer,
                       RunProgress* progress, CheckReport* report) {
  Turns& turns = shared->turns();
  progress->invocation = invocation;
  progress->is_feeding = true;
  absl::Status status = shared->Feed(entry, invocation);
  progress->is_feeding = false;
  if (!status.ok()) return status;
  Subgraph& graph = turns.graph(entry);
  if (entry == 0) {
    report->plan_strategy = graph.plan().strategy;
    progress->plans.push_back(graph.plan());
  }
  status = turns.Invoke(entry);
  if (absl::IsCancelled(status) || absl::IsResourceExhausted(status)) {
    return status;
  }
  report->difference = comparer.difference();
  if (report->difference) return absl::OkStatus();
  report->finding = status;
  if (status.ok()) {
    report->difference =
        CompareResults(apart->turns().graph(entry), graph,
                       turns.entry(entry).subgraph, invocation);
  }
  return absl::OkStatus();
}

// Runs one invocation of an entry in both interpreters.
absl::Status RunBoth(size_t entry, size_t invocation, CheckedRun* apart,
                     CheckedRun* shared, const OutputComparer& comparer,
                     RunProgress* progress, CheckReport* report) {
  absl::Status status = apart->Feed(entry, invocation);
  if (status.ok()) status = apart->turns().Invoke(entry);
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

std::vector<TurnEntry> EntriesOf(const Model& model,
                                 const CheckOptions& options) {
  std::vector<TurnEntry> entries = {{&model, options.subgraph}};
  for (const CheckedFollower& follower : options.followers) {
    entries.push_back({follower.model == nullptr ? &model : follower.model,
                       follower.subgraph});
  }
  return entries;
}

absl::Status CheckEntries(const Model& model, const CheckOptions& options) {
  const std::vector<TurnEntry> entries = EntriesOf(model, options);
  absl::Status status = CheckTurns(entries, options.hand_overs);
  if (!status.ok()) return status;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i == 0 ? options.feed : options.followers[i - 1].feed) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        entries[i].model->name(), ": no inputs; expected a feed for subgraph ",
        entries[i].subgraph));
  }
  return status;
}

absl::StatusOr<CheckReport> CompareRuns(const Model& model,
                                        const OperatorResolver& resolver,
                                        const CheckOptions& options,
                                        RunProgress* progress) {
  CheckedRun apart(model, options, kPatternApart);
  CheckedRun shared(model, options, kPatternUnderPlan);
  // The entries of each model.
  std::vector<std::set<size_t>> entries(apart.turns().models());
  for (size_t i = 0; i < apart.turns().count(); ++i) {
    entries[apart.turns().ModelOf(i)].insert(apart.turns().entry(i).subgraph);
  }
  std::vector<CalledOutputs> called(entries.begin(), entries.end());
  std::vector<ExecutionObserver*> keepers;
  for (CalledOutputs& each : called) {
    if (options.compares_all) keepers.push_back(&each);
  }
  absl::Status status = apart.Load(resolver, WithoutSharing(options.plan),
                                   keepers, /*shares=*/false);
  if (!status.ok()) return status;
  std::vector<OutputComparer> comparers;
  for (size_t m = 0; m < called.size(); ++m) {
    comparers.emplace_back(&apart.turns().interpreter(m), &called[m]);
  }
  std::vector<ExecutionObserver*> observers;
  for (OutputComparer& each : comparers) {
    if (options.compares_all) observers.push_back(&each);
  }
  InterpreterOptions plan = options.plan;
  // The arena moves before each invocation, so that a delegate that has kept
  // pointers from an earlier invocation reads wrong bytes and is detected.
  plan.moves_arena = plan.moves_arena || !plan.delegates.empty();
  status = shared.Load(resolver, std::move(plan), observers,
                       /*shares=*/!options.followers.empty());
  if (!status.ok()) return status;
  CheckReport report;
  for (size_t k = 0; k < options.invocations; ++k) {
    for (size_t entry = 0; entry < shared.turns().count(); ++entry) {
      if (!report.is_safe()) break;
      const size_t m = shared.turns().ModelOf(entry);
      called[m].Clear();
      status =
          RunBoth(entry, k, &apart, &shared, comparers[m], progress, &report);
      if (!status.ok()) return status;
    }
  }
  report.shadowed = shared.turns().ShadowedOperators();
  return report;
}

}  // namespace stowage::harness
