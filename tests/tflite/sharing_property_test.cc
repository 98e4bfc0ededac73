// SPDX-License-Identifier: Apache-2.0
// Runs random graphs on a machine that has only the memory of a plan. Tensors
// that share memory must not overwrite anything that is still needed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/sharing.h"
#include "tests/tflm/arena_graphs.h"

namespace stowage {
namespace {

// The content of a tensor. Each unit of memory holds a number that depends on
// how the unit was computed, so different contents can be distinguished.
using Bytes = std::vector<uint64_t>;

uint64_t Mixed(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15u + b;
  x ^= x >> 29;
  return x * 0xBF58476D1CE4E5B9u + 1;
}

// One unit of the machine represents 64 bytes.
constexpr size_t kUnit = 64;

class Machine {
 public:
  explicit Machine(const ArenaGraph& graph) : graph_(graph) {}

  // Runs the graph with its tensors at the given offsets, or with separate
  // memory for each tensor if `offsets` is empty. Returns the content of every
  // tensor that a node reads, and then the content of the graph's outputs at
  // the end.
  std::vector<Bytes> Run(const std::vector<absl::optional<size_t>>& offsets) {
    size_t end = 0;
    for (size_t t = 0; t < graph_.tensors.size(); ++t) {
      const size_t units = graph_.tensors[t].bytes / kUnit;
      places_.push_back(offsets.empty() ? end : offsets[t].value_or(0) / kUnit);
      end = std::max(end, places_[t] + units);
    }
    memory_.assign(end, 0);
    for (const size_t t : graph_.inputs) {
      for (size_t i = 0; i < UnitsOf(t); ++i) At(t, i) = Mixed(t, i);
    }
    for (size_t node = 0; node < graph_.nodes.size(); ++node) RunNode(node);
    for (const size_t t : graph_.outputs) seen_.push_back(Content(t));
    return seen_;
  }

 private:
  size_t UnitsOf(size_t t) const { return graph_.tensors[t].bytes / kUnit; }
  uint64_t& At(size_t t, size_t i) { return memory_[places_[t] + i]; }
  Bytes Content(size_t t) {
    Bytes bytes;
    for (size_t i = 0; i < UnitsOf(t); ++i) bytes.push_back(At(t, i));
    return bytes;
  }

  void RunNode(size_t index) {
    const ArenaNode& node = graph_.nodes[index];
    for (const size_t t : node.inputs) seen_.push_back(Content(t));
    if (!node.parts.empty()) {
      for (const ArenaPart& part : node.parts) Copy(node, part);
    } else if (node.in_place != InPlace::kNever) {
      const bool is_copy = HasFlag(node.in_place, InPlace::kUnmodified);
      for (size_t i = 0; i < UnitsOf(node.outputs[0]); ++i) {
        const uint64_t x = At(node.inputs[0], i);
        At(node.outputs[0], i) = is_copy ? x : Mixed(x, index);
      }
    } else {
      uint64_t all = index;
      for (const size_t t : node.inputs) {
        for (const uint64_t x : Content(t)) all = Mixed(all, x);
      }
      for (const size_t t : node.outputs) {
        for (size_t i = 0; i < UnitsOf(t); ++i) At(t, i) = Mixed(all, i + t);
      }
    }
  }

  void Copy(const ArenaNode& node, const ArenaPart& part) {
    const bool joins = part.whole == node.outputs[0];
    for (size_t i = 0; i < UnitsOf(part.part); ++i) {
      uint64_t& inside = At(part.whole, part.at / kUnit + i);
      uint64_t& outside = At(part.part, i);
      if (joins) {
        inside = outside;
      } else {
        outside = inside;
      }
    }
  }

  const ArenaGraph& graph_;
  std::vector<size_t> places_;
  Bytes memory_;
  std::vector<Bytes> seen_;
};

class GraphMaker {
 public:
  ArenaGraph Make() {
    const auto inputs = *rc::gen::inRange<size_t>(1, 3);
    for (size_t i = 0; i < inputs; ++i) graph_.inputs.push_back(Tensor(Any(4)));
    const auto nodes = *rc::gen::inRange<size_t>(1, 14);
    for (size_t i = 0; i < nodes; ++i) AddNode();
    const size_t last = graph_.tensors.size() - 1;
    graph_.outputs.push_back(last);
    if (*rc::gen::arbitrary<bool>()) {
      const size_t other = AnyTensor();
      if (other != last) graph_.outputs.push_back(other);
    }
    return std::move(graph_);
  }

 private:
  static size_t Any(size_t max) {
    return *rc::gen::inRange<size_t>(1, max + 1);
  }
  size_t Tensor(size_t units) {
    graph_.tensors.push_back({units * kUnit});
    return graph_.tensors.size() - 1;
  }
  // Returns a random tensor. Recent tensors are more likely than older ones, so
  // rigid groups have many members.
  size_t AnyTensor() const {
    const size_t count = graph_.tensors.size();
    const size_t back = std::min(count, *rc::gen::element<size_t>(2, 4, 100));
    return count - 1 - *rc::gen::inRange<size_t>(0, back);
  }
  std::vector<size_t> Sizes() const {
    std::vector<size_t> sizes;
    for (const ArenaTensor& tensor : graph_.tensors) {
      sizes.push_back(tensor.bytes);
    }
    return sizes;
  }

  void AddNode() {
    const size_t input = AnyTensor();
    const size_t units = graph_.tensors[input].bytes / kUnit;
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        graph_.nodes.push_back(InPlaceNode(input, Tensor(units), kElementwise));
        return;
      case 1:
        graph_.nodes.push_back(InPlaceNode(input, Tensor(units), kReshape));
        return;
      case 2:
      case 3: {
        std::vector<size_t> inputs = {input};
        const size_t more = Any(2);
        size_t all = units;
        for (size_t i = 0; i < more; ++i) {
          inputs.push_back(AnyTensor());
          all += graph_.tensors[inputs.back()].bytes / kUnit;
        }
        const size_t output = Tensor(all);
        graph_.nodes.push_back(JoinNode(Sizes(), inputs, output));
        return;
      }
      case 4: {
        if (units < 2) break;
        const auto first = *rc::gen::inRange<size_t>(1, units);
        const size_t a = Tensor(first);
        const size_t b = Tensor(units - first);
        graph_.nodes.push_back(CutNode(Sizes(), input, {a, b}));
        return;
      }
      default:
        break;
    }
    const size_t other = AnyTensor();
    graph_.nodes.push_back(OpaqueNode({input, other}, {Tensor(Any(4))}));
  }

  ArenaGraph graph_;
};

std::vector<absl::optional<size_t>> ByTensor(const ArenaGraph& graph,
                                             const ArenaRecords& records,
                                             const OffsetsAssignment& plan) {
  std::vector<absl::optional<size_t>> offsets(graph.tensors.size());
  for (size_t i = 0; i < records.tensors.size(); ++i) {
    offsets[records.tensors[i]] = plan.offsets[i];
  }
  return offsets;
}

// Every node reads the right values, no matter which groups the planner keeps.
RC_GTEST_PROP(SharedGroups, OverwritesNothingThatIsNeeded, ()) {
  const ArenaGraph graph = GraphMaker().Make();
  LifetimeOptions options;
  options.io = *rc::gen::element(IoLifetime::kKeep, IoLifetime::kUse);
  const SharedGroups shared = FindSharedGroups(graph, options, kPartAlignment);
  const ArenaRecords records =
      RecordsOf(graph, shared.lifetimes, shared.places, graph.nodes.size() - 1);
  ProblemSpec spec;
  spec.records = records.records;
  spec.alignment = kPartAlignment;
  spec.constraints.places = records.places;
  const std::vector<Bytes> expected = Machine(graph).Run({});
  const auto problem = Problem::Create(spec);
  if (!problem.ok()) RC_FAIL(problem.status().ToString());
  const auto all = Solve(*problem, "skyline");
  if (!all.ok()) RC_FAIL(all.status().ToString());
  RC_ASSERT(Machine(graph).Run(ByTensor(graph, records, *all->offsets())) ==
            expected);
  // Some records leave their groups.
  for (RecordPlace& place : spec.constraints.places) {
    if (place.group == kNoGroup || !*rc::gen::arbitrary<bool>()) continue;
    place.group = kNoGroup;
    place.at = 0;
  }
  spec.groups_are_optional = true;
  const auto some = Solve(*Problem::Create(spec), "skyline");
  if (!some.ok()) RC_FAIL(some.status().ToString());
  RC_ASSERT(Machine(graph).Run(ByTensor(graph, records, *some->offsets())) ==
            expected);
  RC_CLASSIFY(!records.places.empty(), "has groups");
}

// If no node has parts, tensors that share memory under the fixed rule are in
// one group.
RC_GTEST_PROP(SharedGroups, HasWhatTheFixedRuleShares, ()) {
  ArenaGraph graph = GraphMaker().Make();
  for (ArenaNode& node : graph.nodes) node.parts.clear();
  const SharedGroups shared = FindSharedGroups(graph, {}, kPartAlignment);
  const std::vector<Lifetime> fixed = PlanLifetimes(graph);
  const auto group_of = [&](size_t t) {
    return shared.places.empty() ? kNoGroup : shared.places[t].group;
  };
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (fixed[t].root == t) continue;
    RC_ASSERT(group_of(t) != kNoGroup);
    RC_ASSERT(group_of(t) == group_of(fixed[t].root));
    RC_ASSERT(shared.places[t].at == 0u);
  }
}

}  // namespace
}  // namespace stowage
