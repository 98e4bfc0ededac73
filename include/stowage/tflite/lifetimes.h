// SPDX-License-Identifier: Apache-2.0
// Computes when each tensor of a graph needs memory, and which outputs take
// over the memory of an input. To read the records of a model file, use
// model_trace.h (rules `plain`), tflm/micro_trace.h (rules `micro`) or
// harness/cpu_trace.h (rules `cpu`, for which all operators must have kernels
// or shadows). LifetimeRules below defines these rules.
//
//   const std::vector<Lifetime> lifetimes = PlanLifetimes(graph, options);
//   const ArenaRecords records = RecordsOf(graph, lifetimes, last_node);
//
// The rules `cpu` are those of TensorFlow Lite's arena planner (docs/arena.md),
// except where the arena planner would let an operator overwrite bytes that
// another operator still reads.
#ifndef STOWAGE_TFLITE_LIFETIMES_H_
#define STOWAGE_TFLITE_LIFETIMES_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/task_order.h"
#include "stowage/tflite/storage.h"  // IWYU pragma: export
#include "stowage/usage_record.h"

namespace stowage {

// The size of a tensor, and the kind of memory that holds the tensor.
struct ArenaTensor {
  size_t bytes = 0;
  // Only kArena and kPersistent tensors are placed.
  Storage storage = Storage::kArena;
};

// A tensor that is a part of another tensor, the whole. The part holds exactly
// the bytes of the whole from byte `at` on. For example, an input of a
// concatenation is a part of its output, and an output of a split is a part of
// its input.
struct ArenaPart {
  size_t part = 0;   // a tensor
  size_t whole = 0;  // an output if `part` is an input, otherwise an input
  size_t at = 0;     // the offset of `part` in `whole`, in bytes
};

// A node of a graph: an operator, or a step or partition of a delegate.
struct ArenaNode {
  // Indices of tensors; kAbsent stands for an input that is left out.
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  // Temporaries are live during this node. If several nodes have the same
  // temporary, it is live from the first of these nodes to the last.
  std::vector<size_t> temporaries;
  InPlace in_place = InPlace::kNever;
  // The parts that the node copies into or out of a larger tensor, the whole.
  // If the plan puts a part inside its whole, the node need not copy the part.
  // This list is used only by sharing.h and by the check of finished plans.
  std::vector<ArenaPart> parts = {};
};

// A graph. Its nodes are tasks, in the order in which they run.
struct ArenaGraph {
  std::vector<ArenaTensor> tensors;
  std::vector<ArenaNode> nodes;
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  std::vector<size_t> variables;
};

// The rules that decide which tensors share memory, and how long each tensor is
// live.
enum class LifetimeRules {
  // A tensor is live from the node that writes it to the last node that reads
  // it. No output takes over the memory of an input.
  kPlain,
  // The rules of TensorFlow Lite's CPU interpreter: outputs take over the
  // memory of inputs, and a tensor that nothing reads is never freed.
  kCpu,
  // The rules of TensorFlow Lite Micro (micro_trace.h). For a single subgraph,
  // they are the same as kPlain, except that inputs are live until the last
  // node that reads them.
  kMicro,
};

// Returns "plain", "cpu" or "micro".
absl::string_view LifetimeRulesName(LifetimeRules rules);

// Says until when graph inputs are live.
enum class IoLifetime {
  kKeep,  // inputs are live to the last node, as in the CPU planner
  kUse,   // inputs are live to the last node that reads them
};

// Says which tensors share memory under the rules `cpu`.
enum class Sharing {
  // Outputs take over the memory of inputs wherever this is possible.
  kFixed,
  // Tensors that may share memory form a group of records, each with its own
  // lifetime, and the planner decides where sharing pays (sharing.h).
  kGroups,
  // Every tensor has separate memory.
  kNone,
};

// Returns "fixed", "groups" or "none".
absl::string_view SharingName(Sharing sharing);

// Returns the lifetime of inputs if none is given: kUse under `micro`,
// otherwise kKeep.
IoLifetime DefaultIoLifetime(LifetimeRules rules);

// Says by which rules lifetimes are computed.
struct LifetimeOptions {
  LifetimeRules rules = LifetimeRules::kCpu;
  // If there is no value, DefaultIoLifetime applies.
  absl::optional<IoLifetime> io;
  // If true, no tensor is ever freed, and no tensors share memory.
  bool preserve_all = false;
  // Outputs may take over the memory of inputs only at the first
  // `sharing_nodes` nodes, since the sizes of the tensors of later nodes are
  // not known yet.
  size_t sharing_nodes = static_cast<size_t>(-1);
  // The order of nodes that may run at the same time (streams.h); null if they
  // run one after the other. With an order, a node takes over the memory of an
  // input only if all other nodes that read this memory strictly precede this
  // node.
  const TaskOrder* order = nullptr;
};

// The nodes during which a tensor needs memory.
struct Lifetime {
  // The first node during which the tensor needs memory, or nullopt if it never
  // needs memory.
  absl::optional<size_t> first;
  // The last node (inclusive) during which the tensor needs memory, or nullopt
  // if the tensor is never freed.
  absl::optional<size_t> last;
  // The tensor that holds this tensor in its memory, or this tensor itself if
  // it has memory of its own. The lifetime of a root covers the lifetimes of
  // all tensors that lie in the memory of the root.
  size_t root = 0;
};

// Returns the lifetime of every tensor. O(references of nodes to tensors).
std::vector<Lifetime> PlanLifetimes(const ArenaGraph& graph,
                                    const LifetimeOptions& options = {});

// Returns, for each tensor, the nodes that use the tensor, in rising order. The
// function is for graphs in which nodes may run at the same time. A node uses a
// tensor if the node reads or writes the tensor itself, or a tensor that shares
// its memory. The list is empty for a tensor that lies in the memory of another
// tensor. If a tensor is live from the start, its users include a node that no
// node precedes, so that no other tensor can use the memory earlier. If a
// tensor is never freed, its users include a node that no node follows, so that
// no other tensor can use the memory afterwards. Requires an order that
// OrderOnStreams (streams.h) has returned. O(references of nodes to tensors +
// tensors * chains).
UserLists UsersOf(const ArenaGraph& graph, absl::Span<const Lifetime> lifetimes,
                  const TaskOrder& order);

// The records that a strategy places. There is one record for each tensor of
// the arena that has bytes, that has memory of its own, and that is first
// needed at a node of [0, last_node].
struct ArenaRecords {
  std::vector<size_t> tensors;
  std::vector<TensorUsageRecord<size_t>> records;
  UserLists users;  // is empty if nodes run one after the other
  // The place of each record in its group, if the planner decides about sharing
  // (sharing.h). Otherwise the list is empty.
  std::vector<RecordPlace> places = {};
};
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes, size_t last_node);
// Returns the records of a graph in which nodes may run at the same time. Each
// record also has users, and its interval is the bounding interval of these
// users. `users` must be the result of UsersOf.
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes,
                       const UserLists& users);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_LIFETIMES_H_
