// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/lifetimes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/task_order.h"
#include "stowage/tflite/model.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// An operator does not change a tensor of at most this number of bytes in
// place: its output does not share the memory of the tensor, because the shape
// of the output may still change.
constexpr size_t kMaxBytesNotShared = 4;

bool KeepsInputs(const LifetimeOptions& options) {
  return options.io.value_or(DefaultIoLifetime(options.rules)) ==
         IoLifetime::kKeep;
}

// Plans lifetimes by the rules `cpu`.
class LifetimePlanner {
 public:
  LifetimePlanner(const ArenaGraph& graph, const LifetimeOptions& options)
      : graph_(graph),
        options_(options),
        lifetimes_(graph.tensors.size()),
        is_input_(graph.tensors.size(), 0),
        is_output_(graph.tensors.size(), 0),
        uses_(graph.tensors.size(), 0),
        reads_left_(graph.tensors.size(), 0),
        sharers_(graph.tensors.size()) {}

  std::vector<Lifetime> Plan();

 private:
  void Begin();
  void Share(size_t node);
  absl::optional<size_t> SharedInput(const ArenaNode& node) const;
  bool MayShare(size_t input, size_t output, bool is_changed) const;
  bool IsReadLater(size_t node, size_t root, size_t input) const;
  bool IsReadBeside(size_t node, size_t tensor) const;
  void Allocate(size_t node, size_t tensor);
  void Run(size_t node);
  void Part();

  const ArenaGraph& graph_;
  const LifetimeOptions& options_;
  std::vector<Lifetime> lifetimes_;
  std::vector<uint8_t> is_input_;
  std::vector<uint8_t> is_output_;
  // uses_ counts the references to each tensor: one for each time that a node
  // reads the tensor, and one if the tensor is an output, a variable or a kept
  // input of the graph. Tensors that share memory have a common root, which
  // owns the memory. holds_ counts the references to a root and to all tensors
  // that share its memory, and decreases as nodes run.
  std::vector<size_t> uses_;
  std::vector<size_t> holds_;
  // For each tensor, the number of its reads in the nodes that have not been
  // visited by Share.
  std::vector<size_t> reads_left_;
  // For each root, the other tensors that share its memory.
  std::vector<std::vector<size_t>> sharers_;
  // The readers of each tensor. Empty if the options contain no order of the
  // tasks.
  std::vector<std::vector<size_t>> readers_;
};

std::vector<Lifetime> LifetimePlanner::Plan() {
  for (size_t t = 0; t < lifetimes_.size(); ++t) lifetimes_[t].root = t;
  Begin();
  for (size_t node = 0; node < graph_.nodes.size(); ++node) Share(node);
  for (const ArenaNode& node : graph_.nodes) {
    for (const size_t t : node.inputs) {
      if (t != kAbsent) ++holds_[lifetimes_[t].root];
    }
  }
  for (size_t node = 0; node < graph_.nodes.size(); ++node) Run(node);
  Part();
  return std::move(lifetimes_);
}

void LifetimePlanner::Begin() {
  for (const size_t t : graph_.outputs) {
    ++uses_[t];
    is_output_[t] = 1;
  }
  for (const size_t t : graph_.variables) {
    ++uses_[t];
    Allocate(0, t);
  }
  for (const size_t t : graph_.inputs) {
    is_input_[t] = 1;
    Allocate(0, t);
    if (KeepsInputs(options_)) ++uses_[t];
  }
  holds_ = uses_;
  for (const ArenaNode& node : graph_.nodes) {
    for (const size_t t : node.inputs) {
      if (t == kAbsent) continue;
      ++uses_[t];
      ++reads_left_[t];
    }
  }
  if (options_.order == nullptr) return;
  readers_.resize(graph_.tensors.size());
  for (size_t node = 0; node < graph_.nodes.size(); ++node) {
    for (const size_t t : graph_.nodes[node].inputs) {
      if (t != kAbsent) readers_[t].push_back(node);
    }
  }
}

void LifetimePlanner::Share(size_t node_index) {
  const ArenaNode& node = graph_.nodes[node_index];
  for (const size_t t : node.inputs) {
    if (t != kAbsent) --reads_left_[t];
  }
  if (node_index >= options_.sharing_nodes) return;
  const absl::optional<size_t> input = SharedInput(node);
  if (!input) return;
  const size_t root = lifetimes_[*input].root;
  if (!HasFlag(node.in_place, InPlace::kUnmodified) &&
      IsReadLater(node_index, root, *input)) {
    return;
  }
  lifetimes_[node.outputs[0]].root = root;
  sharers_[root].push_back(node.outputs[0]);
}

// Returns the first input that may share its memory with the output, or nullopt
// if there is no such input.
absl::optional<size_t> LifetimePlanner::SharedInput(
    const ArenaNode& node) const {
  if (node.in_place == InPlace::kNever || options_.preserve_all ||
      node.outputs.empty() || node.outputs[0] == kAbsent) {
    return absl::nullopt;
  }
  const bool is_changed = !HasFlag(node.in_place, InPlace::kUnmodified);
  const size_t count = std::min(std::size(kInPlaceInputs), node.inputs.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t input = node.inputs[i];
    if (input != kAbsent && HasFlag(node.in_place, kInPlaceInputs[i]) &&
        MayShare(input, node.outputs[0], is_changed)) {
      return input;
    }
  }
  return absl::nullopt;
}

bool LifetimePlanner::MayShare(size_t input, size_t output,
                               bool is_changed) const {
  const ArenaTensor& from = graph_.tensors[input];
  const ArenaTensor& to = graph_.tensors[output];
  if (is_changed && (from.bytes != to.bytes ||
                     from.bytes <= kMaxBytesNotShared || uses_[input] > 1)) {
    return false;
  }
  // A dynamic output has memory of its own, but is treated here as if it shared
  // the memory of the input.
  return is_input_[input] == 0 && is_output_[output] == 0 &&
         from.storage == Storage::kArena &&
         (to.storage == Storage::kArena || to.storage == Storage::kDynamic);
}

// Returns whether the memory of `root` is still needed after `node` has read
// `input`: by a later node, or as another input of `node`.
bool LifetimePlanner::IsReadLater(size_t node, size_t root,
                                  size_t input) const {
  if (uses_[root] > 1) return true;
  const auto is_needed = [&](size_t tensor) {
    return tensor != input &&
           (reads_left_[tensor] > 0 || is_output_[tensor] != 0 ||
            IsReadBeside(node, tensor));
  };
  return is_needed(root) ||
         std::any_of(sharers_[root].begin(), sharers_[root].end(), is_needed);
}

// Returns whether the tensor is read by a node that precedes `node` in the file
// and may run at the same time as `node`.
bool LifetimePlanner::IsReadBeside(size_t node, size_t tensor) const {
  if (options_.order == nullptr) return false;
  return std::any_of(
      readers_[tensor].begin(), readers_[tensor].end(), [&](size_t reader) {
        return reader != node && !options_.order->Precedes(reader, node);
      });
}

void LifetimePlanner::Allocate(size_t node, size_t tensor) {
  if (!lifetimes_[tensor].first) lifetimes_[tensor].first = node;
}

void LifetimePlanner::Run(size_t node_index) {
  const ArenaNode& node = graph_.nodes[node_index];
  for (const size_t t : node.outputs) {
    if (t != kAbsent) Allocate(node_index, t);
  }
  for (const size_t t : node.temporaries) {
    Allocate(node_index, t);
    if (!options_.preserve_all) lifetimes_[t].last = node_index;
  }
  if (options_.preserve_all) return;
  for (const size_t t : node.inputs) {
    if (t == kAbsent) continue;
    const size_t root = lifetimes_[t].root;
    --holds_[root];
    if (holds_[root] == 0 && lifetimes_[root].first) {
      lifetimes_[root].last = node_index;
    }
  }
}

// Separates a tensor from its root if their numbers of bytes differ. An example
// is an output that has the unmodified values of an input but a different size
// than the root. Such an output cannot be in the memory of the root, so it has
// memory of its own. As in the original runtime, this memory is never freed.
void LifetimePlanner::Part() {
  for (size_t t = 0; t < lifetimes_.size(); ++t) {
    const ArenaTensor& tensor = graph_.tensors[t];
    if (tensor.storage == Storage::kArena && tensor.bytes != 0 &&
        tensor.bytes != graph_.tensors[lifetimes_[t].root].bytes) {
      lifetimes_[t].root = t;
    }
  }
}

// Plans lifetimes according to the rules `plain`, and also according to the
// rules `micro` if there is only one subgraph.
std::vector<Lifetime> PlanPlainLifetimes(const ArenaGraph& graph,
                                         const LifetimeOptions& options) {
  std::vector<Lifetime> lifetimes(graph.tensors.size());
  std::vector<uint8_t> is_kept(graph.tensors.size(),
                               options.preserve_all ? 1 : 0);
  for (size_t t = 0; t < lifetimes.size(); ++t) lifetimes[t].root = t;
  const auto begin = [&](size_t t, size_t node) {
    lifetimes[t].first = node;
    lifetimes[t].last = node;
  };
  for (const size_t t : graph.variables) {
    begin(t, 0);
    is_kept[t] = 1;
  }
  for (const size_t t : graph.inputs) {
    begin(t, 0);
    if (KeepsInputs(options)) is_kept[t] = 1;
  }
  for (const size_t t : graph.outputs) is_kept[t] = 1;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ArenaNode& node = graph.nodes[i];
    for (const size_t t : node.inputs) {
      if (t != kAbsent && lifetimes[t].first) lifetimes[t].last = i;
    }
    for (const size_t t : node.outputs) {
      if (t != kAbsent && !lifetimes[t].first) begin(t, i);
    }
    for (const size_t t : node.temporaries) {
      if (!lifetimes[t].first) begin(t, i);
      lifetimes[t].last = i;
    }
  }
  for (size_t t = 0; t < lifetimes.size(); ++t) {
    if (is_kept[t] != 0) lifetimes[t].last = absl::nullopt;
  }
  return lifetimes;
}

// Finds the tasks that use each record, given that tasks are ordered by
// `order`.
class UserFinder {
 public:
  UserFinder(const ArenaGraph& graph, absl::Span<const Lifetime> lifetimes,
             const TaskOrder& order)
      : lifetimes_(lifetimes),
        order_(order),
        users_(graph.tensors.size()),
        is_given_(graph.tensors.size(), 0) {
    for (const std::vector<size_t>* given : {&graph.inputs, &graph.variables}) {
      for (const size_t t : *given) is_given_[lifetimes[t].root] = 1;
    }
    for (size_t node = 0; node < graph.nodes.size(); ++node) {
      const ArenaNode& described = graph.nodes[node];
      for (const std::vector<size_t>* touched :
           {&described.inputs, &described.outputs, &described.temporaries}) {
        for (const size_t t : *touched) {
          if (t != kAbsent) users_[lifetimes[t].root].push_back(node);
        }
      }
    }
  }

  // Returns the tasks that use a root or a tensor that shares its memory, in
  // rising order. There is at least one. May be called only once for each root.
  std::vector<TaskId> UsersOf(size_t root) {
    std::vector<TaskId> users = std::move(users_[root]);
    // A tensor that no node uses counts as live at the beginning.
    const bool is_live_first = is_given_[root] != 0 || users.empty();
    const TaskId some = users.empty() ? 0 : users.front();
    if (is_live_first) users.push_back(FirstBefore(some));
    if (!lifetimes_[root].last) users.push_back(LastAfter(some));
    std::sort(users.begin(), users.end());
    users.erase(std::unique(users.begin(), users.end()), users.end());
    return users;
  }

 private:
  // Returns a task that has no predecessors: either `task` itself or a task
  // that precedes it.
  TaskId FirstBefore(TaskId task) const {
    TaskId first = task;
    for (size_t c = 0; c < order_.chains(); ++c) {
      if (order_.chain(c).empty()) continue;
      const TaskId candidate = order_.chain(c).front();
      if (order_.Precedes(candidate, task)) first = std::min(first, candidate);
    }
    return first;
  }

  // Returns a task that has no successors: either `task` itself or a task that
  // follows it.
  TaskId LastAfter(TaskId task) const {
    TaskId last = task;
    for (size_t c = 0; c < order_.chains(); ++c) {
      if (order_.chain(c).empty()) continue;
      const TaskId candidate = order_.chain(c).back();
      if (order_.Precedes(task, candidate)) last = std::max(last, candidate);
    }
    return last;
  }

  absl::Span<const Lifetime> lifetimes_;
  const TaskOrder& order_;
  std::vector<std::vector<TaskId>> users_;  // the users of each root
  // For each root, whether it has data at the beginning.
  std::vector<uint8_t> is_given_;
};

}  // namespace

IoLifetime DefaultIoLifetime(LifetimeRules rules) {
  return rules == LifetimeRules::kMicro ? IoLifetime::kUse : IoLifetime::kKeep;
}

absl::string_view LifetimeRulesName(LifetimeRules rules) {
  switch (rules) {
    case LifetimeRules::kPlain:
      return "plain";
    case LifetimeRules::kCpu:
      return "cpu";
    case LifetimeRules::kMicro:
      return "micro";
  }
  return "";
}

absl::string_view SharingName(Sharing sharing) {
  switch (sharing) {
    case Sharing::kFixed:
      return "fixed";
    case Sharing::kGroups:
      return "groups";
    case Sharing::kNone:
      return "none";
  }
  return "";
}

std::vector<Lifetime> PlanLifetimes(const ArenaGraph& graph,
                                    const LifetimeOptions& options) {
  if (options.rules != LifetimeRules::kCpu) {
    return PlanPlainLifetimes(graph, options);
  }
  return LifetimePlanner(graph, options).Plan();
}

UserLists UsersOf(const ArenaGraph& graph, absl::Span<const Lifetime> lifetimes,
                  const TaskOrder& order) {
  UserFinder finder(graph, lifetimes, order);
  UserLists users;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    users.Add(lifetimes[t].root == t ? finder.UsersOf(t)
                                     : std::vector<TaskId>());
  }
  return users;
}

ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes, size_t last_node) {
  ArenaRecords result;
  if (graph.nodes.empty()) last_node = 0;
  const size_t end = graph.nodes.empty() ? 0 : graph.nodes.size() - 1;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const ArenaTensor& tensor = graph.tensors[t];
    const Lifetime& lifetime = lifetimes[t];
    if (tensor.storage != Storage::kArena || tensor.bytes == 0 ||
        lifetime.root != t || !lifetime.first || *lifetime.first > last_node) {
      continue;
    }
    result.tensors.push_back(t);
    result.records.emplace_back(tensor.bytes, *lifetime.first,
                                lifetime.last.value_or(end));
  }
  return result;
}

ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes,
                       const UserLists& users) {
  ArenaRecords result = RecordsOf(graph, lifetimes, graph.nodes.size());
  for (size_t i = 0; i < result.tensors.size(); ++i) {
    const absl::Span<const TaskId> used_by = users[result.tensors[i]];
    result.records[i].first_task = used_by.front();
    result.records[i].last_task = used_by.back();
    result.users.Add(used_by);
  }
  return result;
}

}  // namespace stowage
