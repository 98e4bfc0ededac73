// SPDX-License-Identifier: Apache-2.0
// Plans any graph of operators in the same way as the interpreter. Every reader
// must find the content that was written for it, and tensors that are live at
// the same task must not share a byte, no matter whether planning takes one
// step or two.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/model.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::harness {
namespace {

constexpr size_t kMaxNodes = 24;

size_t AddTensor(Input* input, ArenaGraph* graph) {
  constexpr Storage kStorages[] = {
      Storage::kArena,    Storage::kArena,   Storage::kArena,
      Storage::kArena,    Storage::kArena,   Storage::kPersistent,
      Storage::kConstant, Storage::kDynamic, Storage::kNone};
  ArenaTensor tensor;
  tensor.bytes = input->Number();
  tensor.storage = kStorages[input->UpTo(std::size(kStorages) - 1)];
  graph->tensors.push_back(tensor);
  return graph->tensors.size() - 1;
}

// Generates a graph. Each node reads tensors that already exist and writes new
// ones. In real models, the reader of model files ensures that every tensor
// exists before it is read.
ArenaGraph TakeGraph(Input* input) {
  ArenaGraph graph;
  std::vector<size_t> known;
  for (size_t left = input->UpTo(4); left > 0; --left) {
    known.push_back(AddTensor(input, &graph));
    (input->UpTo(3) == 0 ? graph.variables : graph.inputs)
        .push_back(known.back());
  }
  for (size_t left = input->UpTo(kMaxNodes); left > 0; --left) {
    ArenaNode node;
    for (size_t reads = input->UpTo(4); reads > 0; --reads) {
      const size_t at = input->UpTo(known.size());
      node.inputs.push_back(at < known.size() ? known[at] : kAbsent);
    }
    for (size_t writes = input->UpTo(2); writes > 0; --writes) {
      node.outputs.push_back(AddTensor(input, &graph));
    }
    if (input->UpTo(7) == 0) node.outputs.push_back(kAbsent);
    if (input->UpTo(3) == 0) {
      node.temporaries.push_back(AddTensor(input, &graph));
    }
    node.in_place = static_cast<InPlace>(input->UpTo(31));
    for (const size_t t : node.outputs) {
      if (t != kAbsent) known.push_back(t);
    }
    graph.nodes.push_back(node);
  }
  for (size_t left = input->UpTo(3); left > 0 && !known.empty(); --left) {
    graph.outputs.push_back(input->OneOf(known));
  }
  return graph;
}

// Returns whether the planner has to find memory for `t`.
bool IsInArena(const ArenaGraph& graph, size_t t) {
  return t != kAbsent && graph.tensors[t].storage == Storage::kArena;
}

void CheckRoots(const std::vector<Lifetime>& lifetimes) {
  for (const Lifetime& lifetime : lifetimes) {
    Check(lifetime.root < lifetimes.size(), "shares with nobody");
    const Lifetime& root = lifetimes[lifetime.root];
    Check(root.root == lifetime.root, "a root that shares with another");
    Check(
        !lifetime.first || !lifetime.last || *lifetime.first <= *lifetime.last,
        "freed before it is there");
  }
}

// Checks that every tensor is live when it is read or written. A tensor in the
// memory of another tensor counts as live while the other tensor is live.
void CheckUses(const ArenaGraph& graph,
               const std::vector<Lifetime>& lifetimes) {
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    const ArenaNode& it = graph.nodes[node];
    for (const auto* used : {&it.inputs, &it.outputs, &it.temporaries}) {
      for (const size_t t : *used) {
        if (!IsInArena(graph, t)) continue;
        const Lifetime& root = lifetimes[lifetimes[t].root];
        Check(root.first && *root.first <= node &&
                  (!root.last || *root.last >= node),
              "read or written when it is dead");
      }
    }
  }
}

// Returns the tensors that must still hold their content after the last node:
// outputs, variables and, with kKeep, inputs.
std::vector<size_t> KeptTensors(const ArenaGraph& graph, IoLifetime io) {
  std::vector<size_t> kept = graph.outputs;
  kept.insert(kept.end(), graph.variables.begin(), graph.variables.end());
  if (io == IoLifetime::kKeep) {
    kept.insert(kept.end(), graph.inputs.begin(), graph.inputs.end());
  }
  return kept;
}

// Runs the graph symbolically: the content of a tensor is a name instead of
// bytes. Content is named after the tensor to which it was written. Two tensors
// have the same content only if an operator passes its input on unmodified.
class Contents {
 public:
  Contents(const ArenaGraph& graph, const std::vector<Lifetime>& lifetimes)
      : graph_(graph),
        lifetimes_(lifetimes),
        content_(lifetimes.size()),
        held_(lifetimes.size()) {
    std::iota(content_.begin(), content_.end(), size_t{0});
    std::iota(held_.begin(), held_.end(), size_t{0});
  }

  void Run(const ArenaNode& node) {
    for (const size_t t : node.inputs) {
      CheckIsThere(t, "read when it is overwritten");
    }
    for (const size_t t : node.outputs) {
      if (IsInArena(graph_, t)) Write(t, node.in_place);
    }
  }

  void CheckIsThere(size_t t, const char* message) const {
    if (!IsInArena(graph_, t)) return;
    Check(held_[lifetimes_[t].root] == content_[t], message);
  }

 private:
  void Write(size_t t, InPlace in_place) {
    const size_t root = lifetimes_[t].root;
    if (root != t && HasFlag(in_place, InPlace::kUnmodified)) {
      content_[t] = held_[root];
    } else {
      held_[root] = t;
    }
  }

  const ArenaGraph& graph_;
  const std::vector<Lifetime>& lifetimes_;
  // The content that a reader of each tensor must find.
  std::vector<size_t> content_;
  std::vector<size_t> held_;  // by root: the content of its memory
};

void CheckOptions(const ArenaGraph& graph, const LifetimeOptions& options,
                  const std::vector<Lifetime>& lifetimes) {
  for (size_t t = 0; t < lifetimes.size() && options.preserve_all; ++t) {
    Check(lifetimes[t].root == t && !lifetimes[t].last,
          "freed or shared, where all is preserved");
  }
  for (size_t i = options.sharing_nodes; i < graph.nodes.size(); ++i) {
    for (const size_t t : graph.nodes[i].outputs) {
      Check(t == kAbsent || lifetimes[t].root == t,
            "shared, where sizes are not known");
    }
  }
}

void CheckLifetimes(const ArenaGraph& graph, const LifetimeOptions& options,
                    const std::vector<Lifetime>& lifetimes) {
  Check(lifetimes.size() == graph.tensors.size(), "lifetimes are lost");
  CheckRoots(lifetimes);
  CheckUses(graph, lifetimes);
  CheckOptions(graph, options, lifetimes);
  Contents contents(graph, lifetimes);
  for (const ArenaNode& node : graph.nodes) contents.Run(node);
  for (const size_t t : KeptTensors(graph, *options.io)) {
    contents.CheckIsThere(t, "what is kept is overwritten");
    Check(!IsInArena(graph, t) || !lifetimes[lifetimes[t].root].last,
          "what is kept is freed");
  }
}

void CheckPlan(const ArenaGraph& graph, const std::vector<Lifetime>& lifetimes,
               size_t alignment, const ArenaPlan& plan) {
  const ArenaRecords asked = RecordsOf(graph, lifetimes, graph.nodes.size());
  OffsetsAssignment offsets;
  offsets.total_size = plan.arena_bytes;
  for (const size_t t : asked.tensors) {
    Check(plan.offsets[t].has_value(), "a tensor without a place");
    offsets.offsets.push_back(*plan.offsets[t]);
  }
  const auto violation = FindViolation(asked.records, offsets, alignment);
  Check(!violation, violation ? Describe(*violation) : "");
}

void Fuzz(Input* input) {
  LifetimeOptions options;
  options.io = input->Flag() ? IoLifetime::kUse : IoLifetime::kKeep;
  options.preserve_all = input->UpTo(7) == 0;
  if (input->UpTo(3) == 0) options.sharing_nodes = input->UpTo(kMaxNodes);
  const size_t alignment = size_t{1} << input->UpTo(7);
  // The last node that is planned in the first step. If there are nodes after
  // it, a second step plans them.
  const size_t step = input->UpTo(kMaxNodes);
  const ArenaGraph graph = TakeGraph(input);
  const std::vector<Lifetime> lifetimes = PlanLifetimes(graph, options);
  CheckLifetimes(graph, options, lifetimes);
  ArenaPlan plan;
  absl::Status status =
      PlaceTensors(graph, lifetimes, 0, step, alignment, &plan);
  if (status.ok() && step < graph.nodes.size()) {
    status = PlaceTensors(graph, lifetimes, step + 1, graph.nodes.size(),
                          alignment, &plan);
  }
  if (status.ok()) return CheckPlan(graph, lifetimes, alignment, plan);
  Check(absl::IsOutOfRange(status), status.ToString());
}

}  // namespace
}  // namespace stowage::harness

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Input input(data, size);
  stowage::harness::Fuzz(&input);
  return 0;
}
