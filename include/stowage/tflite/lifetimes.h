// SPDX-License-Identifier: Apache-2.0
// Computes the lifetime of each tensor of a graph, and which outputs take over
// the memory of an input. The rules are defined by LifetimeRules below. To read
// the records of a model file, use model_trace.h (rules `plain`),
// tflm/micro_trace.h (rules `micro`) or harness/cpu_trace.h (rules `cpu`, which
// require that all operators have kernels or shadows).
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

// The size of a tensor, and the kind of memory that holds it.
struct ArenaTensor {
  size_t bytes = 0;
  // Only kArena and kPersistent tensors are placed.
  Storage storage = Storage::kArena;
};

// A tensor (the part) that is contained in another tensor (the whole). The part
// consists of the bytes of the whole from byte `at` on. For example, an input
// of a concatenation is a part of the output, and an output of a split is a
// part of the input.
struct ArenaPart {
  size_t part = 0;   // a tensor
  size_t whole = 0;  // an output if `part` is an input, otherwise an input
  size_t at = 0;     // the offset of `part` in `whole`, in bytes
};

// A node of a graph: an operator, or a step or partition of a delegate.
struct ArenaNode {
  // Indices of tensors, or kAbsent for an input that is left out.
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  // Tensors that are live during this node. A temporary of several nodes is
  // live from the first of these nodes to the last.
  std::vector<size_t> temporaries;
  InPlace in_place = InPlace::kNever;
  // The parts that the node copies into or out of a larger tensor, the whole.
  // If the plan puts a part inside its whole, the node need not copy the part.
  // Used only by sharing.h and by the check of finished plans.
  std::vector<ArenaPart> parts = {};
};

// A graph. The nodes are the tasks, in the order in which they run.
struct ArenaGraph {
  std::vector<ArenaTensor> tensors;
  std::vector<ArenaNode> nodes;
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  std::vector<size_t> variables;
};

// The rules that determine which tensors share memory, and how long each tensor
// is live.
enum class LifetimeRules {
  // A tensor is live from the node that writes it to the last node that reads
  // it. No output takes over the memory of an input.
  kPlain,
  // The rules of TensorFlow Lite's CPU interpreter: outputs take over the
  // memory of inputs, and a tensor that no node reads is never freed.
  kCpu,
  // The rules of TensorFlow Lite Micro (tflm/micro_trace.h). For a model with a
  // single subgraph, these are the rules of kPlain, except that inputs are live
  // up to the last node that reads them.
  kMicro,
};

// Returns "plain", "cpu" or "micro".
absl::string_view LifetimeRulesName(LifetimeRules rules);

// The end of the lifetime of graph inputs.
enum class IoLifetime {
  kKeep,  // inputs are live to the last node, as in the CPU planner
  kUse,   // inputs are live to the last node that reads them
};

// The tensors that share memory under the rules `cpu`.
enum class Sharing {
  // Outputs take over the memory of inputs wherever possible.
  kFixed,
  // Tensors that may share memory form a group of records with separate
  // lifetimes, and the planner decides where sharing is worthwhile (sharing.h).
  kGroups,
  // Every tensor has separate memory.
  kNone,
};

// Returns "fixed", "groups" or "none".
absl::string_view SharingName(Sharing sharing);

// Returns the default of LifetimeOptions::io: kUse under `micro`, otherwise
// kKeep.
IoLifetime DefaultIoLifetime(LifetimeRules rules);

// The rules for computing lifetimes.
struct LifetimeOptions {
  LifetimeRules rules = LifetimeRules::kCpu;
  // If not set, DefaultIoLifetime applies.
  absl::optional<IoLifetime> io;
  // If true, no tensor is ever freed, and no tensors share memory.
  bool preserve_all = false;
  // Only the first `sharing_nodes` nodes may let an output take over the memory
  // of an input, since the sizes of the tensors of later nodes are not yet
  // known.
  size_t sharing_nodes = static_cast<size_t>(-1);
  // The order of nodes that may run at the same time (streams.h), or null if
  // nodes run one after the other. With an order, a node may take over the
  // memory of an input only if all other nodes that read this memory strictly
  // precede it.
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
  // The tensor that owns the memory of this tensor; the tensor itself if it has
  // memory of its own. The lifetime of a root covers the lifetimes of all
  // tensors in the memory of the root.
  size_t root = 0;
};

// Returns the lifetime of every tensor. O(references of nodes to tensors).
std::vector<Lifetime> PlanLifetimes(const ArenaGraph& graph,
                                    const LifetimeOptions& options = {});

// Returns, for each tensor, the nodes that use the tensor, in rising order, for
// graphs in which nodes may run at the same time. A node uses a tensor if it
// reads or writes the tensor itself, or a tensor in the memory of that tensor.
// The list of a tensor that is in the memory of another tensor is empty.
//
// If a tensor is live from the start, its users include a node that no node
// precedes, so no other tensor can use the memory earlier. If a tensor is never
// freed, its users include a node that no node follows, so no other tensor can
// use the memory later. Requires an order that OrderOnStreams (streams.h)
// returned. O(references of nodes to tensors + tensors * chains).
UserLists UsersOf(const ArenaGraph& graph, absl::Span<const Lifetime> lifetimes,
                  const TaskOrder& order);

// The records that a strategy places: one record for each tensor of the arena
// that has bytes, has memory of its own, and is first needed at a node in [0,
// last_node].
struct ArenaRecords {
  std::vector<size_t> tensors;
  std::vector<TensorUsageRecord<size_t>> records;
  UserLists users;  // is empty if nodes run one after the other
  // The place of each record in its group, if the planner decides which tensors
  // share memory (sharing.h); otherwise empty.
  std::vector<RecordPlace> places = {};
};
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes, size_t last_node);
// Returns the records of a graph in which nodes may run at the same time. The
// result also has the users of each record, and the interval of a record is the
// bounding interval of its users. `users` must be the result of UsersOf.
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes,
                       const UserLists& users);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_LIFETIMES_H_
