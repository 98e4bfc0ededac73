// SPDX-License-Identifier: Apache-2.0
#include "tests/testing/mutants_lifetimes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/types/optional.h"
#include "src/tflite/model_draft.h"
#include "stowage/assignment.h"
#include "stowage/base/random.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/tflite/model.h"
#include "stowage/usage_record.h"
#include "tests/harness/byte_models.h"
#include "tests/support/plan_request.h"

namespace stowage::testing {
namespace {

using harness::ByteModel;
using support::Plan;
using support::PlanRequest;

using Lifetimes = std::vector<Lifetime>;

// Returns the nodes that read the tensor, in the order of the graph.
std::vector<size_t> ReadersOf(const ArenaGraph& graph, size_t tensor) {
  std::vector<size_t> readers;
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    if (absl::c_linear_search(graph.nodes[node].inputs, tensor)) {
      readers.push_back(node);
    }
  }
  return readers;
}

bool IsIn(const std::vector<size_t>& list, size_t tensor) {
  return absl::c_linear_search(list, tensor);
}

bool HasSharers(const Lifetimes& lifetimes, size_t root) {
  for (size_t t = 0; t < lifetimes.size(); ++t) {
    if (t != root && lifetimes[t].root == root) return true;
  }
  return false;
}

// Returns a mutant that starts from the sound lifetimes. `spoil` then changes
// the lifetime of each tensor that does not use the memory of another tensor.
LifetimesMutant Spoilt(std::string name, std::string bug,
                       void (*spoil)(const ArenaGraph&, size_t tensor,
                                     Lifetimes*)) {
  return {std::move(name), std::move(bug), [spoil](const ArenaGraph& graph) {
            Lifetimes lifetimes = PlanLifetimes(graph);
            for (size_t t = 0; t < lifetimes.size(); ++t) {
              if (lifetimes[t].first && lifetimes[t].root == t) {
                spoil(graph, t, &lifetimes);
              }
            }
            return lifetimes;
          }};
}

void FreeAfterFirstReader(const ArenaGraph& graph, size_t t, Lifetimes* all) {
  const std::vector<size_t> readers = ReadersOf(graph, t);
  if ((*all)[t].last && !HasSharers(*all, t) && !readers.empty()) {
    (*all)[t].last = readers.front();
  }
}

void FreeBeforeLastReader(const ArenaGraph&, size_t t, Lifetimes* all) {
  Lifetime& life = (*all)[t];
  if (life.last && *life.last > *life.first) life.last = *life.last - 1;
}

void TakeLate(const ArenaGraph& graph, size_t t, Lifetimes* all) {
  Lifetime& life = (*all)[t];
  if (*life.first < life.last.value_or(graph.nodes.size() - 1)) {
    life.first = *life.first + 1;
  }
}

void FreeOutputAfterLastReader(const ArenaGraph& graph, size_t t,
                               Lifetimes* all) {
  if (!IsIn(graph.outputs, t) || IsIn(graph.inputs, t)) return;
  const std::vector<size_t> readers = ReadersOf(graph, t);
  (*all)[t].last = readers.empty() ? *(*all)[t].first : readers.back();
}

void ForgetUnread(const ArenaGraph& graph, size_t t, Lifetimes* all) {
  if (ReadersOf(graph, t).empty() && !IsIn(graph.outputs, t) &&
      !IsIn(graph.inputs, t) && !(*all)[t].last) {
    (*all)[t].first = absl::nullopt;
  }
}

void TakeInputAtFirstReader(const ArenaGraph& graph, size_t t, Lifetimes* all) {
  const std::vector<size_t> readers = ReadersOf(graph, t);
  if (IsIn(graph.inputs, t) && !readers.empty()) {
    (*all)[t].first = readers.front();
  }
}

void ForgetTemporary(const ArenaGraph& graph, size_t t, Lifetimes* all) {
  for (const ArenaNode& node : graph.nodes) {
    if (IsIn(node.temporaries, t)) (*all)[t].first = absl::nullopt;
  }
}

// If other tensors share the memory of tensor `t`, ends its lifetime at the
// last operator that reads `t` itself, although the other tensors may be read
// later.
void EndWithOwnReaders(const ArenaGraph& graph, size_t t, Lifetimes* all) {
  const std::vector<size_t> readers = ReadersOf(graph, t);
  if (HasSharers(*all, t) && !readers.empty()) (*all)[t].last = readers.back();
}

// Returns lifetimes with wrong sharing. If an operator may work in place but
// `is_wrong` returns that it must not use the memory of its first input, its
// output nevertheless uses this memory.
Lifetimes TakeOver(const ArenaGraph& graph,
                   bool (*is_wrong)(const ArenaGraph&, size_t node,
                                    size_t input)) {
  Lifetimes all = PlanLifetimes(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const ArenaNode& node = graph.nodes[n];
    if (node.in_place == InPlace::kNever || node.inputs.empty()) continue;
    const size_t in = node.inputs[0];
    const size_t out = node.outputs[0];
    if (in == kAbsent || all[out].root != out ||
        graph.tensors[in].storage != Storage::kArena ||
        graph.tensors[in].bytes != graph.tensors[out].bytes ||
        !is_wrong(graph, n, in)) {
      continue;
    }
    const size_t root = all[in].root;
    for (Lifetime& life : all) {
      if (life.root == out) life.root = root;
    }
    // The memory is live as long as either tensor is needed.
    all[root].last = all[root].last && all[out].last
                         ? std::max(all[root].last, all[out].last)
                         : absl::nullopt;
  }
  return all;
}

bool IsReadLater(const ArenaGraph& graph, size_t node, size_t input) {
  return !IsIn(graph.inputs, input) && !IsIn(graph.outputs, input) &&
         ReadersOf(graph, input).back() > node;
}

bool IsGraphInput(const ArenaGraph& graph, size_t, size_t input) {
  return IsIn(graph.inputs, input);
}

bool IsGraphOutput(const ArenaGraph& graph, size_t, size_t input) {
  return IsIn(graph.outputs, input) && !IsIn(graph.inputs, input);
}

OperatorsMutant Claiming(std::string name, std::string bug,
                         const std::string& op, InPlace in_place) {
  OperatorsMutant mutant{std::move(name), std::move(bug),
                         harness::ByteOperators()};
  harness::OperatorRegistration registration = *mutant.operators.Find(op, true);
  registration.in_place = in_place;
  mutant.operators.Add(std::move(registration));
  return mutant;
}

absl::Status PrepareAsInput(harness::OperatorContext& context) {
  return context.ResizeOutput(0,
                              {static_cast<int32_t>(context.input(0).bytes)});
}

// Computes byte i of the output from bytes i and i - 1 of the input, which
// gives wrong results in place.
absl::Status AddNeighbours(harness::OperatorContext& context) {
  const auto* input = context.input(0).as<uint8_t>();
  auto* output = context.output(0).as<uint8_t>();
  for (size_t i = 0; i < context.output(0).bytes; ++i) {
    output[i] = static_cast<uint8_t>(input[i] + (i > 0 ? input[i - 1] : 1));
  }
  return absl::OkStatus();
}

OperatorsMutant ReadingWhatItHasWritten() {
  OperatorsMutant mutant{
      "in_place_though_it_reads_behind",
      "claims to work in place, and reads bytes of its input that it has "
      "written over",
      harness::ByteOperators()};
  mutant.operators.Add(harness::CustomOperator(
      "MixInPlace", PrepareAsInput, AddNeighbours, InPlace::kInput0));
  return mutant;
}

}  // namespace

std::vector<LifetimesMutant> LifetimesMutants() {
  return {
      Spoilt("freed_after_first_reader",
             "frees a tensor after the first operator that reads it, though "
             "another does too",
             FreeAfterFirstReader),
      Spoilt("freed_before_last_reader",
             "frees a tensor one operator too early", FreeBeforeLastReader),
      Spoilt("taken_after_its_writer",
             "takes memory for a tensor one operator too late", TakeLate),
      Spoilt("graph_output_freed",
             "frees an output of the graph after its last reader, though the "
             "caller still reads it",
             FreeOutputAfterLastReader),
      Spoilt("unread_output_forgotten",
             "has no memory for what an operator writes and none reads",
             ForgetUnread),
      Spoilt("graph_input_taken_late",
             "takes memory for a graph input at its first reader, though the "
             "caller has filled it before",
             TakeInputAtFirstReader),
      Spoilt("temporary_forgotten",
             "has no memory for what an operator needs while it runs",
             ForgetTemporary),
      Spoilt("in_place_chain_cut",
             "frees memory after the readers of the tensor that took it first, "
             "though others have taken it over",
             EndWithOwnReaders),
      {"in_place_over_what_is_read_again",
       "takes over an input that a later operator reads",
       [](const ArenaGraph& graph) { return TakeOver(graph, IsReadLater); }},
      {"in_place_over_a_graph_input",
       "takes over what the caller has filled and keeps",
       [](const ArenaGraph& graph) { return TakeOver(graph, IsGraphInput); }},
      {"in_place_over_a_graph_output", "takes over what the caller still reads",
       [](const ArenaGraph& graph) { return TakeOver(graph, IsGraphOutput); }},
  };
}

std::vector<OperatorsMutant> OperatorsMutants() {
  return {
      ReadingWhatItHasWritten(),
      Claiming("unmodified_though_it_changes",
               "claims that its output has the bytes of its input, and changes "
               "them for later readers of the input",
               "MixInPlace", InPlace::kUnmodified | InPlace::kInput0),
  };
}

harness::ByteModel RandomByteModel(uint64_t seed) {
  // Operators that do not work in place are needed, too, because otherwise
  // nothing would reveal a wrong use in place.
  const std::vector<std::string> kinds = {"Mix",  "MixInPlace", "MixInPlace",
                                          "Copy", "Scratch",    "Accumulate"};
  Random random(seed);
  ByteModel model;
  const size_t bytes = 5 + random.Below(200);
  std::vector<size_t> tensors = {model.AddInput(bytes)};
  if (random.Below(2) == 0) tensors.push_back(model.AddInput(bytes));
  const size_t variable = model.AddVariable(9);
  const size_t steps = 2 + random.Below(12);
  const auto any_late = [&] {
    const size_t back = random.Below(std::min<size_t>(tensors.size(), 5));
    return tensors[tensors.size() - 1 - back];
  };
  for (size_t i = 0; i < steps; ++i) {
    const std::string& kind = kinds[random.Below(kinds.size())];
    std::vector<size_t> inputs = {any_late()};
    if (kind == "Accumulate") {
      inputs.push_back(variable);
    } else if (random.Below(2) == 0) {
      inputs.push_back(any_late());
    }
    // Operators that work in place must have as many output bytes as input
    // bytes.
    const bool may_grow = kind == "Mix" || kind == "Scratch";
    const uint64_t more = may_grow && random.Below(3) == 0 ? 64 : 0;
    tensors.push_back(model.Add(kind, inputs, static_cast<uint8_t>(more)));
  }
  model.MarkOutput(tensors.back());
  const size_t second = any_late();
  if (second != tensors.back()) model.MarkOutput(second);
  return model;
}

std::vector<TensorUsageRecord<size_t>> WithVariablesCut(
    const harness::ByteModel& model, const ProblemSpec& problem) {
  const GraphSpec& graph = model.spec().graphs.front();
  std::vector<TensorUsageRecord<size_t>> records = problem.records;
  for (size_t i = 0; i < records.size(); ++i) {
    int32_t tensor = 0;
    if (!absl::SimpleAtoi(problem.names[i], &tensor) ||
        !graph.tensors[static_cast<size_t>(tensor)].is_variable) {
      continue;
    }
    absl::optional<TaskId> first;
    for (TaskId task = 0; task < graph.operators.size(); ++task) {
      if (!absl::c_linear_search(graph.operators[task].inputs, tensor)) {
        continue;
      }
      if (!first) first = task;
      records[i].last_task = task;
    }
    records[i].first_task = first.value_or(0);
  }
  return records;
}

std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)>
PlannerWith(const ArenaGraph& graph, const Lifetimes& lifetimes) {
  return [graph, lifetimes](
             const ArenaRecords& asked) -> absl::StatusOr<OffsetsAssignment> {
    const ArenaRecords believed =
        RecordsOf(graph, lifetimes, graph.nodes.size());
    PlanRequest options;
    options.strategy = "greedy_by_size";
    options.alignments = 64;
    const absl::StatusOr<Solution> plan = Plan(believed.records, options);
    if (!plan.ok()) return plan.status();
    std::map<size_t, size_t> offsets;
    for (size_t i = 0; i < believed.tensors.size(); ++i) {
      offsets[believed.tensors[i]] = plan->offsets()->offsets[i];
    }
    OffsetsAssignment answer;
    for (const size_t t : asked.tensors) {
      answer.offsets.push_back(offsets[lifetimes[t].root]);
    }
    answer.total_size = plan->offsets()->total_size;
    return answer;
  };
}

}  // namespace stowage::testing
