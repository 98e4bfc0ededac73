// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/run_model.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/compare_runs.h"
#include "src/harness/placement.h"
#include "src/harness/sha256.h"
#include "src/harness/turns.h"
#include "stowage/base/text.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/dump.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_report.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/shared_arena.h"
#include "stowage/harness/tensor.h"
#include "stowage/profile.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/sharing.h"

namespace stowage::harness {
namespace {

// The pattern with which bytes that are not live are filled. CheckPlan uses two
// other patterns.
constexpr uint8_t kPoison = 0xA5;

// The number of guard bytes after the arena. They reveal writes beyond its end.
constexpr size_t kPoisonedGuard = 64;

// Converts an error that occurred while a dump was written. If the disk is
// full, the code is changed, because ResourceExhausted would mean that the
// memory limit is exceeded.
absl::Status DumpError(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::FailedPreconditionError(status.message());
}

bool IsInteger(const TensorSpec& tensor) {
  return tensor.type == ElementType::kInt32 ||
         tensor.type == ElementType::kInt64;
}

// Returns, for each tensor of the graph, whether it contains integers that may
// determine the shape of a tensor during the run, either directly or through
// operators that compute other integers from them.
std::vector<bool> FindShapes(const Subgraph& graph) {
  const SubgraphSpec& spec = graph.spec();
  std::vector<bool> shapes(spec.tensors.size(), false);
  for (size_t k = spec.operators.size(); k-- > 0;) {
    const OperatorSpec& op = spec.operators[k];
    const bool is_needed = absl::c_any_of(op.outputs, [&](size_t t) {
      return t != kAbsent &&
             (shapes[t] || graph.tensor(t).storage == Storage::kDynamic);
    });
    // The result of SHAPE does not depend on the elements of its input.
    if (!is_needed || op.name == "SHAPE") continue;
    for (const size_t t : op.inputs) {
      if (t != kAbsent && IsInteger(spec.tensors[t])) shapes[t] = true;
    }
  }
  return shapes;
}

// Adds a hint to an error of a run: the names of the inputs of the graph that
// determine the shape of a tensor but were generated from a seed, because a
// random number is rarely a valid shape.
absl::Status WithShapeHint(const absl::Status& status, const InputFiles& files,
                           const Subgraph& graph) {
  if (!absl::IsInvalidArgument(status)) return status;
  const SubgraphSpec& spec = graph.spec();
  const std::vector<bool> shapes = FindShapes(graph);
  std::string hints;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const TensorSpec& tensor = spec.tensors[spec.inputs[i]];
    const bool has_file =
        files.count(tensor.name) > 0 || files.count(absl::StrCat(i)) > 0;
    if (has_file || !shapes[spec.inputs[i]]) continue;
    absl::StrAppend(
        &hints, "; input ", Quoted(tensor.name),
        ", drawn from a seed, says a shape: expected its bytes, "
        "--input ",
        OneLine(tensor.name.empty() ? absl::StrCat(i) : tensor.name), "=FILE");
  }
  if (hints.empty()) return status;
  return WithMessage(status, absl::StrCat(status.message(), hints));
}

// Returns the size that the arena would have without delegates, in bytes.
// Returns nullopt if it cannot be computed, for instance because a strategy
// exceeds the memory limit. This is not an error, because the number is only
// part of a report.
absl::optional<size_t> ArenaWithoutDelegates(const Model& model,
                                             const RunOptions& options,
                                             size_t subgraph) {
  InterpreterOptions plan_options = options.plan;
  plan_options.delegates.clear();
  plan_options.observers.clear();
  plan_options.shared_arena = nullptr;
  const auto interpreter = Interpreter::Create(model, plan_options);
  if (!interpreter.ok()) return absl::nullopt;
  Subgraph& graph = (*interpreter)->subgraph(subgraph);
  if (!graph.Prepare().ok()) return absl::nullopt;
  MemoryPlan plan = graph.plan();
  if (plan.prepared_nodes < plan.graph.nodes.size() ||
      !PlaceFirst(plan_options, &plan).ok()) {
    return absl::nullopt;
  }
  return plan.arena_bytes;
}

void DescribeDelegates(const Model& model, const RunOptions& options,
                       size_t subgraph, const Subgraph& graph,
                       RunResult* result) {
  const absl::Span<const int> plan = graph.execution_plan();
  result->operators = graph.spec().operators.size();
  result->execution_plan.assign(plan.begin(), plan.end());
  result->delegates = graph.delegates();
  if (absl::c_any_of(result->delegates, [](const AppliedDelegate& delegate) {
        return !delegate.partitions.empty();
      })) {
    result->arena_without_delegates =
        ArenaWithoutDelegates(model, options, subgraph);
  }
}

void DescribePlan(const Subgraph& graph, RunResult* result) {
  const ArenaRecords records = graph.plan().Records();
  result->arena_bytes = graph.plan().arena_bytes;
  result->persistent_bytes = graph.plan().persistent_bytes;
  result->lower_bound = LowerBoundOf(records);
  result->naive_size = NaiveSize(records.records);
  result->strategy = graph.plan().strategy;
  result->copies_avoided = CountCopiesAvoided(
      graph.plan().graph, graph.plan().lifetimes, graph.plan().tensor_places);
  if (const ProgramPlan* const program = graph.plan().program.get()) {
    const PlannedProgram& planned = program->planned;
    result->lower_bound = planned.solution.lower_bound;
    result->naive_size = 0;
    for (SlotId slot = 0; slot < program->live.size(); ++slot) {
      if (!program->live[slot].empty() && !program->variables[slot]) {
        result->naive_size += planned.points.slot_sizes[slot];
      }
    }
    result->calls = {program->subgraphs, planned.copied_bytes,
                     planned.possible_bytes, 0};
    for (const ProgramVariable& variable : program->program.variables) {
      result->calls->state_bytes += variable.size;
    }
  }
  result->streams = graph.plan().order ? graph.plan().order->chains() : 1;
}

void DescribeOutputs(const Subgraph& graph, RunResult* result) {
  for (size_t i = 0; i < graph.output_count(); ++i) {
    const Tensor& tensor = graph.output(i);
    result->outputs.push_back(
        {tensor.name, DtypeName(tensor.type), tensor.shape,
         Sha256({static_cast<const char*>(tensor.data), tensor.bytes})});
  }
}

absl::Status CheckRun(const Model& model, const RunOptions& options,
                      size_t shapes) {
  absl::Status entries = CheckEntries(model, CheckOptionsOf(options));
  if (!entries.ok()) return entries;
  if (options.invocations == 0 || options.repeat == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": ", options.invocations, " invocations, ",
                     options.repeat, " times; expected 1 or more of each"));
  }
  if (options.dump.empty()) return absl::OkStatus();
  if (shapes > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": a dump of runs at ", shapes,
                     " shapes; expected one run"));
  }
  if (!options.followers.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(model.name(), ": a dump of ",
                                                   options.followers.size() + 1,
                                                   " subgraphs; expected one"));
  }
  return absl::OkStatus();
}

// Returns the source of the inputs of the first subgraph.
InputSource FirstInputs(const RunOptions& options) {
  std::set<size_t> carried;
  for (const CarriedTensor& each : options.plan.carried) {
    if (each.subgraph == options.subgraph) carried.insert(each.input);
  }
  return InputSource(options.seed, options.inputs, std::move(carried));
}

// The inputs and the result of one of the subgraphs that run in turn.
struct TurnState {
  const InputFiles* files = nullptr;
  InputSource inputs;
  RunResult result;
};

// Runs the subgraphs in turn, as many times as the options request.
class Runner {
 public:
  // Both arguments must outlive this object.
  Runner(const RunOptions& options, Turns* turns)
      : options_(options), turns_(*turns) {
    states_.push_back({&options.inputs, FirstInputs(options), RunResult()});
    for (const Follower& follower : options.followers) {
      states_.push_back({&follower.inputs,
                         InputSource(options.seed, follower.inputs),
                         RunResult()});
    }
  }

  // Allocates the graphs, runs them and describes the run.
  absl::StatusOr<RunResult> Run() {
    for (size_t turn = 0; turn < turns_.count(); ++turn) {
      absl::Status status = turns_.graph(turn).Allocate();
      if (!status.ok()) return status;
    }
    absl::Status status = InvokeAndDump();
    for (size_t i = 1; status.ok() && i < options_.repeat; ++i) {
      turns_.Reset();
      status = InvokeAll(nullptr);
    }
    if (!status.ok()) return status;
    RunResult result = std::move(states_.front().result);
    for (size_t i = 1; i < states_.size(); ++i) {
      result.followers.push_back(std::move(states_[i].result));
    }
    return result;
  }

 private:
  absl::Status InvokeAndDump() {
    if (options_.dump.empty()) return InvokeAll(nullptr);
    absl::StatusOr<DumpWriter> dump = DumpWriter::Create(options_.dump);
    if (!dump.ok()) return DumpError(dump.status());
    if (absl::Status s = InvokeAll(&*dump); !s.ok()) return s;
    return DumpError(
        dump->Finish({turns_.entry(0).model->name(), options_.seed,
                      options_.invocations, options_.plan.shadow}));
  }

  // Runs all invocations. Afterwards, describes what was not known before:
  // shapes that depend on data, and outputs. Each graph is described
  // immediately after its last run, because another graph may take the memory
  // of its outputs.
  absl::Status InvokeAll(DumpWriter* dump) {
    std::vector<absl::Duration> times(turns_.count());
    for (size_t i = 0; i < options_.invocations; ++i) {
      for (size_t turn = 0; turn < turns_.count(); ++turn) {
        const absl::StatusOr<absl::Duration> time = InvokeOnce(i, turn, dump);
        if (!time.ok()) return time.status();
        times[turn] += *time;
        if (i + 1 == options_.invocations &&
            states_[turn].result.times.empty()) {
          Describe(turn);
        }
      }
    }
    for (size_t turn = 0; turn < turns_.count(); ++turn) {
      states_[turn].result.times.push_back(times[turn]);
      states_[turn].result.shadowed = turns_.ShadowedOperators();
    }
    return absl::OkStatus();
  }

  // Runs a graph once, and returns the time that its operators took.
  absl::StatusOr<absl::Duration> InvokeOnce(size_t invocation, size_t turn,
                                            DumpWriter* dump) {
    Subgraph& graph = turns_.graph(turn);
    absl::Status status = graph.TakeArena();
    if (status.ok()) status = states_[turn].inputs(graph, invocation);
    if (status.ok()) status = turns_.Give(turn);
    status = turns_.At(turn, status);
    if (status.ok() && dump != nullptr) {
      status = DumpError(dump->AddInputs(graph, invocation));
    }
    if (!status.ok()) return status;
    const auto start = std::chrono::steady_clock::now();
    status = turns_.Invoke(turn);
    const auto end = std::chrono::steady_clock::now();
    status = WithShapeHint(status, *states_[turn].files, graph);
    if (status.ok() && dump != nullptr) {
      status = DumpError(dump->AddOutputs(graph, invocation,
                                          options_.plan.preserve_all_tensors));
    }
    if (!status.ok()) return status;
    return absl::FromChrono(end - start);
  }

  void Describe(size_t turn) {
    const Subgraph& graph = turns_.graph(turn);
    const TurnEntry& entry = turns_.entry(turn);
    RunResult& result = states_[turn].result;
    DescribePlan(graph, &result);
    DescribeDelegates(*entry.model, options_, entry.subgraph, graph, &result);
    DescribeOutputs(graph, &result);
    result.memory = MemoryReportOf(graph);
  }

  const RunOptions& options_;
  Turns& turns_;
  std::vector<TurnState> states_;  // by turn
};

// Observers of one model.
struct RunChecks {
  PoisonChecker poison{kPoison};
  TouchChecker touch;
};

// Returns `plan` with the checks that `options` request.
InterpreterOptions WithChecks(InterpreterOptions plan,
                              const RunOptions& options, RunChecks* checks) {
  // The observers of the caller come after the checks, because they may measure
  // time, which must not include the time of the checks.
  plan.observers.clear();
  if (options.poison) {
    plan.observers.push_back(&checks->poison);
    plan.guard_bytes = std::max(plan.guard_bytes, kPoisonedGuard);
  }
  if (options.touch) plan.observers.push_back(&checks->touch);
  plan.observers.insert(plan.observers.end(), options.plan.observers.begin(),
                        options.plan.observers.end());
  return plan;
}

}  // namespace

CheckOptions CheckOptionsOf(const RunOptions& options) {
  CheckOptions check;
  check.plan = options.plan;
  check.subgraph = options.subgraph;
  check.invocations = options.invocations;
  check.feed = FirstInputs(options);
  for (const Follower& follower : options.followers) {
    check.followers.push_back({follower.subgraph,
                               InputSource(options.seed, follower.inputs),
                               follower.model});
  }
  check.hand_overs = options.hand_overs;
  check.poison = options.poison;
  check.touch = options.touch;
  return check;
}

absl::Status ResizeInputs(const GivenTensors& shapes, Subgraph* graph) {
  const std::vector<size_t>& inputs = graph->spec().inputs;
  for (const auto& [tensor, shape] : shapes) {
    const auto found = absl::c_find(inputs, tensor);
    if (found == inputs.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          graph->spec().TensorPlace(tensor),
          " is not an input; expected shapes of inputs alone, since only they "
          "can be resized"));
    }
    absl::Status status =
        graph->ResizeInput(static_cast<size_t>(found - inputs.begin()), shape);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<RunResult> RunModel(const Model& model,
                                   const RunOptions& options) {
  absl::StatusOr<std::vector<RunResult>> results =
      RunModelAt(model, options, {GivenTensors()});
  if (!results.ok()) return results.status();
  return std::move(results->front());
}

absl::StatusOr<std::vector<RunResult>> RunModelAt(
    const Model& model, const RunOptions& options,
    absl::Span<const GivenTensors> shapes) {
  if (absl::Status s = CheckRun(model, options, shapes.size()); !s.ok()) {
    return s;
  }
  Turns turns(EntriesOf(model, CheckOptionsOf(options)), options.hand_overs);
  std::vector<RunChecks> checks(turns.models());
  InterpreterOptions common = options.plan;
  if (!options.followers.empty() && common.shared_arena == nullptr) {
    common.shared_arena = std::make_shared<SharedArena>(
        std::exchange(common.memory_limit, size_t{0}));
  }
  const absl::Status loaded = turns.Load(BuiltinOperators(), [&](size_t m) {
    return WithChecks(common, options, &checks[m]);
  });
  if (!loaded.ok()) return loaded;
  if (options.place_tensors) {
    absl::Status placed = options.place_tensors(turns.interpreter(0));
    if (!placed.ok()) return placed;
  }
  std::vector<RunResult> results;
  for (const GivenTensors& given : shapes) {
    if (!results.empty()) turns.Reset();
    if (absl::Status s = ResizeInputs(given, &turns.graph(0)); !s.ok()) {
      return s;
    }
    absl::StatusOr<RunResult> result = Runner(options, &turns).Run();
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  return results;
}

}  // namespace stowage::harness
