// Any graph of operators, planned as the interpreter plans it: what is alive
// together shares no byte, however the planning is cut into steps.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/model.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::harness {
namespace {

constexpr size_t kMostNodes = 24;

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

// Nodes read what there is and write what is new, as the reader of models
// makes sure.
ArenaGraph TakeGraph(Input* input) {
  ArenaGraph graph;
  std::vector<size_t> known;
  for (size_t left = input->UpTo(4); left > 0; --left) {
    known.push_back(AddTensor(input, &graph));
    (input->UpTo(3) == 0 ? graph.variables : graph.inputs)
        .push_back(known.back());
  }
  for (size_t left = input->UpTo(kMostNodes); left > 0; --left) {
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

void CheckLifetimes(const ArenaGraph& graph,
                    const std::vector<Lifetime>& lifetimes) {
  Check(lifetimes.size() == graph.tensors.size(), "lifetimes are lost");
  for (const Lifetime& lifetime : lifetimes) {
    Check(lifetime.root < lifetimes.size(), "shares with nobody");
    const Lifetime& root = lifetimes[lifetime.root];
    Check(root.root == lifetime.root, "a root that shares with another");
    Check(
        !lifetime.first || !lifetime.last || *lifetime.first <= *lifetime.last,
        "freed before it is there");
  }
  // Whoever reads it finds it alive: itself, or whose memory it shares.
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    for (const size_t t : graph.nodes[node].inputs) {
      if (t == kAbsent || graph.tensors[t].storage != Storage::kArena) continue;
      const Lifetime& root = lifetimes[lifetimes[t].root];
      Check(root.first && *root.first <= node &&
                (!root.last || *root.last >= node),
            "read when it is dead");
    }
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
  if (input->UpTo(3) == 0) options.sharing_nodes = input->UpTo(kMostNodes);
  const size_t alignment = size_t{1} << input->UpTo(7);
  // In one step, or in two.
  const size_t step = input->UpTo(kMostNodes);
  const ArenaGraph graph = TakeGraph(input);
  const std::vector<Lifetime> lifetimes = PlanLifetimes(graph, options);
  CheckLifetimes(graph, lifetimes);
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
