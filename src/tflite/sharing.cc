// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/sharing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage {
namespace {

// Finds the tensors that share memory, either in place or as parts of other
// tensors. Which tensors share in place is determined by the rule of
// PlanLifetimes ("the fixed rule"). Tensors that share in place have the same
// bytes. They form a stack, which is identified by its root. A stack may be
// placed inside another stack if the parts of a node allow it.
//
// Bytes that are still needed are never overwritten. Within a stack, the fixed
// rule ensures this. If one stack is inside another, one of the two ends at the
// node at which the other one begins, and at this node they hold the same
// bytes. Therefore, if two stacks share bytes, one of them always ends before
// the other one begins, except for this common node.
class GroupFinder {
 public:
  GroupFinder(const ArenaGraph& graph, const LifetimeOptions& options,
              size_t alignment);

  SharedGroups Find();

 private:
  struct Stack {
    absl::optional<size_t> first;
    absl::optional<size_t> last;  // has no value if the stack is never freed
    size_t whole = kAbsent;       // the stack in which this stack lies
    size_t at = 0;                // the offset of this stack in `whole`
  };

  bool IsPlaced(size_t tensor) const {
    return graph_.tensors[tensor].storage == Storage::kArena &&
           graph_.tensors[tensor].bytes > 0 && own_[tensor].first;
  }
  void MarkEnds();
  void EndUnread();
  void MeasureStacks();
  void Join(size_t node, const ArenaPart& part);
  bool MayJoin(size_t node, const ArenaPart& part) const;
  size_t OutermostOf(size_t stack, size_t* at) const;
  std::vector<RecordPlace> Places() const;

  const ArenaGraph& graph_;
  const LifetimeOptions& options_;
  size_t alignment_;
  std::vector<Lifetime> fixed_;
  std::vector<Lifetime> own_;
  // For each tensor, whether it is an input of the graph.
  std::vector<uint8_t> is_input_;
  // For each tensor, whether it is an output of the graph.
  std::vector<uint8_t> is_output_;
  // The stacks, indexed by tensor. Only the entries for roots are valid.
  std::vector<Stack> stacks_;
};

GroupFinder::GroupFinder(const ArenaGraph& graph,
                         const LifetimeOptions& options, size_t alignment)
    : graph_(graph),
      options_(options),
      alignment_(alignment),
      fixed_(PlanLifetimes(graph, options)),
      is_input_(graph.tensors.size(), 0),
      is_output_(graph.tensors.size(), 0),
      stacks_(graph.tensors.size()) {
  LifetimeOptions apart = options;
  apart.sharing_nodes = 0;
  own_ = PlanLifetimes(graph, apart);
}

SharedGroups GroupFinder::Find() {
  for (const size_t t : graph_.inputs) is_input_[t] = 1;
  for (const size_t t : graph_.outputs) is_output_[t] = 1;
  EndUnread();
  MeasureStacks();
  if (options_.order == nullptr && !options_.preserve_all) {
    const size_t nodes = std::min(options_.sharing_nodes, graph_.nodes.size());
    for (size_t node = 0; node < nodes; ++node) {
      for (const ArenaPart& part : graph_.nodes[node].parts) Join(node, part);
    }
  }
  std::vector<RecordPlace> places = Places();
  return {std::move(own_), std::move(places)};
}

// Some outputs share memory but are not read by any node. Ends the lifetime of
// each such output at the node that writes it. Under the rules `cpu`, such an
// output would never be freed, although no other node needs it.
void GroupFinder::EndUnread() {
  if (options_.preserve_all) return;
  std::vector<uint8_t> is_read(stacks_.size(), 0);
  for (const ArenaNode& node : graph_.nodes) {
    for (const size_t t : node.inputs) {
      if (t != kAbsent) is_read[t] = 1;
    }
  }
  std::vector<size_t> members(stacks_.size(), 0);
  for (size_t t = 0; t < stacks_.size(); ++t) {
    if (IsPlaced(t)) ++members[fixed_[t].root];
  }
  for (size_t t = 0; t < stacks_.size(); ++t) {
    if (IsPlaced(t) && members[fixed_[t].root] > 1 && is_read[t] == 0 &&
        is_input_[t] == 0 && is_output_[t] == 0) {
      own_[t].last = own_[t].first;
    }
  }
}

void GroupFinder::MeasureStacks() {
  for (size_t t = 0; t < stacks_.size(); ++t) {
    if (!IsPlaced(t)) continue;
    const Lifetime& own = own_[t];
    Stack& stack = stacks_[fixed_[t].root];
    if (!stack.first) {
      stack.first = own.first;
      stack.last = own.last;
      continue;
    }
    stack.first = std::min(*stack.first, *own.first);
    stack.last = stack.last && own.last
                     ? absl::make_optional(std::max(*stack.last, *own.last))
                     : absl::nullopt;
  }
}

size_t GroupFinder::OutermostOf(size_t stack, size_t* at) const {
  *at = 0;
  while (stacks_[stack].whole != kAbsent) {
    *at += stacks_[stack].at;
    stack = stacks_[stack].whole;
  }
  return stack;
}

bool GroupFinder::MayJoin(size_t node, const ArenaPart& part) const {
  if (!IsPlaced(part.part) || !IsPlaced(part.whole) ||
      part.at % alignment_ != 0) {
    return false;
  }
  const size_t whole_bytes = graph_.tensors[part.whole].bytes;
  const size_t part_bytes = graph_.tensors[part.part].bytes;
  if (part.at > whole_bytes || part_bytes > whole_bytes - part.at) return false;
  const size_t inner = fixed_[part.part].root;
  const size_t outer = fixed_[part.whole].root;
  const Stack& of_part = stacks_[inner];
  const Stack& of_whole = stacks_[outer];
  size_t at = 0;
  if (of_part.whole != kAbsent || OutermostOf(outer, &at) == inner) {
    return false;
  }
  // The node must write exactly one of the two tensors, and the lifetime of
  // that tensor must begin at this node.
  const bool writes_whole = own_[part.whole].first == node;
  const bool writes_part = own_[part.part].first == node;
  if (writes_whole == writes_part) return false;
  const Stack& before = writes_whole ? of_part : of_whole;
  const Stack& after = writes_whole ? of_whole : of_part;
  return before.last == node && after.first == node &&
         is_input_[writes_whole ? part.part : part.whole] == 0 &&
         (writes_whole || is_output_[part.part] == 0);
}

void GroupFinder::Join(size_t node, const ArenaPart& part) {
  if (!MayJoin(node, part)) return;
  Stack& stack = stacks_[fixed_[part.part].root];
  stack.whole = fixed_[part.whole].root;
  stack.at = part.at;
}

std::vector<RecordPlace> GroupFinder::Places() const {
  // The number of tensors in each outermost stack.
  std::vector<size_t> members(stacks_.size(), 0);
  std::vector<RecordPlace> places(stacks_.size());
  std::vector<size_t> outermost(stacks_.size(), kAbsent);
  for (size_t t = 0; t < stacks_.size(); ++t) {
    if (!IsPlaced(t)) continue;
    outermost[t] = OutermostOf(fixed_[t].root, &places[t].at);
    ++members[outermost[t]];
  }
  std::vector<uint32_t> group_of(stacks_.size(), kNoGroup);
  uint32_t groups = 0;
  for (size_t t = 0; t < stacks_.size(); ++t) {
    if (outermost[t] == kAbsent || members[outermost[t]] < 2) {
      places[t] = RecordPlace();
      continue;
    }
    uint32_t& group = group_of[outermost[t]];
    if (group == kNoGroup) group = groups++;
    places[t].group = group;
  }
  if (groups == 0) places.clear();
  return places;
}

// Returns whether the bytes of `inner` are within the bytes of `outer`,
// beginning `at` bytes after the beginning of `outer`.
bool LiesIn(const ArenaGraph& graph, absl::Span<const Lifetime> lifetimes,
            absl::Span<const RecordPlace> places, size_t inner, size_t outer,
            size_t at) {
  if (graph.tensors[inner].storage != Storage::kArena ||
      graph.tensors[outer].storage != Storage::kArena) {
    return false;
  }
  if (at == 0 && lifetimes[inner].root == lifetimes[outer].root) return true;
  if (places.empty() || places[inner].group == kNoGroup) return false;
  return places[inner].group == places[outer].group &&
         places[inner].at >= places[outer].at &&
         places[inner].at - places[outer].at == at;
}

}  // namespace

SharedGroups FindSharedGroups(const ArenaGraph& graph,
                              const LifetimeOptions& options,
                              size_t alignment) {
  return GroupFinder(graph, options, alignment).Find();
}

ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes,
                       absl::Span<const RecordPlace> places, size_t last_node) {
  ArenaRecords result = RecordsOf(graph, lifetimes, last_node);
  if (places.empty()) return result;
  // The number of records in each group.
  std::vector<size_t> members(places.size(), 0);
  for (const size_t t : result.tensors) {
    if (places[t].group != kNoGroup) ++members[places[t].group];
  }
  bool has_groups = false;
  for (const size_t t : result.tensors) {
    const bool is_alone =
        places[t].group == kNoGroup || members[places[t].group] < 2;
    result.places.push_back(is_alone ? RecordPlace() : places[t]);
    has_groups = has_groups || !is_alone;
  }
  if (!has_groups) result.places.clear();
  return result;
}

size_t CountCopiesAvoided(const ArenaGraph& graph,
                          absl::Span<const Lifetime> lifetimes,
                          absl::Span<const RecordPlace> places) {
  size_t bytes = 0;
  for (const ArenaNode& node : graph.nodes) {
    for (size_t i = 0; i < std::size(kInPlaceInputs) && i < node.inputs.size();
         ++i) {
      if (HasFlag(node.in_place, InPlace::kUnmodified) &&
          HasFlag(node.in_place, kInPlaceInputs[i]) && !node.outputs.empty() &&
          node.outputs[0] != kAbsent && node.inputs[i] != kAbsent &&
          LiesIn(graph, lifetimes, places, node.outputs[0], node.inputs[i],
                 0)) {
        bytes += graph.tensors[node.outputs[0]].bytes;
      }
    }
    for (const ArenaPart& part : node.parts) {
      if (LiesIn(graph, lifetimes, places, part.part, part.whole, part.at)) {
        bytes += graph.tensors[part.part].bytes;
      }
    }
  }
  return bytes;
}

}  // namespace stowage
