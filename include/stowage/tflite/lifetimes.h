// SPDX-License-Identifier: Apache-2.0
// When each tensor of a graph needs memory, and which outputs take over the
// memory of an input. For the records of a model file under the rules `plain`
// see model_trace.h; under `micro`, micro_trace.h; under `cpu`, which needs
// its operators, harness/cpu_trace.h.
//
//   const std::vector<Lifetime> lifetimes = PlanLifetimes(graph, options);
//   const ArenaRecords records = RecordsOf(graph, lifetimes, last_node);
//
// The rules `cpu` are those of TensorFlow Lite's arena planner (docs/arena.md),
// but where those would let an operator overwrite what another still reads.
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

struct ArenaTensor {
  size_t bytes = 0;
  // kArena and kPersistent are placed; others are not.
  Storage storage = Storage::kArena;
};

// A tensor that holds the bytes of another from byte `at` of that on, and no
// others: an input of a concatenation, or an output of a split.
struct ArenaPart {
  size_t part = 0;   // tensor
  size_t whole = 0;  // tensor: an output if `part` is an input, or the reverse
  size_t at = 0;     // bytes
};

struct ArenaNode {
  std::vector<size_t> inputs;  // tensors; kAbsent for those left out
  std::vector<size_t> outputs;
  // Live during this node, or from the first to the last node that has it.
  std::vector<size_t> temporaries;
  InPlace in_place = InPlace::kNever;
  // What the node would only copy: it copies nothing where a part lies inside
  // its whole. For sharing.h.
  std::vector<ArenaPart> parts = {};
};

// Nodes are tasks, in the order in which they run.
struct ArenaGraph {
  std::vector<ArenaTensor> tensors;
  std::vector<ArenaNode> nodes;
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  std::vector<size_t> variables;
};

// Who shares with whom, and for how long.
enum class LifetimeRules {
  // From the node that writes a tensor to the last that reads it; nothing
  // shares memory in place.
  kPlain,
  // What TensorFlow Lite's CPU interpreter plans: outputs take over the memory
  // of inputs, and what nothing reads is never freed.
  kCpu,
  // What TensorFlow Lite Micro plans (micro_trace.h). Of a single subgraph: as
  // kPlain, but inputs live to the last node that reads them.
  kMicro,
};

// "plain", "cpu", "micro".
absl::string_view LifetimeRulesName(LifetimeRules rules);

enum class IoLifetime {
  kKeep,  // a graph input lives to the last node, as the CPU planner has it
  kUse,   // a graph input lives to the last node that reads it
};

// Which tensors share memory under the rules `cpu`.
enum class Sharing {
  // Outputs take over the memory of inputs wherever they may.
  kFixed,
  // What may share is a group of records, each with its own lifetime, and the
  // planner decides where that pays (sharing.h).
  kGroups,
  // Every tensor has memory of its own.
  kNone,
};

// "fixed", "groups", "none".
absl::string_view SharingName(Sharing sharing);

// Returns how long inputs live where nothing is said: kUse under `micro`, else
// kKeep.
IoLifetime DefaultIoLifetime(LifetimeRules rules);

struct LifetimeOptions {
  LifetimeRules rules = LifetimeRules::kCpu;
  // Without a value, that of DefaultIoLifetime.
  absl::optional<IoLifetime> io;
  bool preserve_all = false;  // nothing is freed, nothing shared
  // Only these many nodes, the first, may share memory in place: sizes of
  // tensors after them are not known yet.
  size_t sharing_nodes = static_cast<size_t>(-1);
  // Nodes that may run at once (streams.h); null for none. A node then takes
  // over memory in place only if all others that read it strictly precede it.
  const TaskOrder* order = nullptr;
};

struct Lifetime {
  absl::optional<size_t> first;  // node; none: never needs memory
  absl::optional<size_t> last;   // node, inclusive; none: never freed
  // The tensor whose memory this one shares, itself if none. Its lifetime
  // covers that of all that share with it.
  size_t root = 0;
};

// The lifetime of every tensor. O(references of nodes to tensors).
std::vector<Lifetime> PlanLifetimes(const ArenaGraph& graph,
                                    const LifetimeOptions& options = {});

// The nodes that use each tensor, rising, where some may run at once: that
// touch it or what shares with it; none for a tensor that shares with another.
// What is live from the start is used by a node that none precedes as well, and
// what is never freed by one that none follows, so that no other tensor comes
// before it, or after. Requires an order of OrderOnStreams (streams.h).
// O(references of nodes to tensors + tensors * chains).
UserLists UsersOf(const ArenaGraph& graph, absl::Span<const Lifetime> lifetimes,
                  const TaskOrder& order);

// What a strategy is asked to place: the tensors of the arena that have bytes
// and memory of their own, and are first needed at nodes [0, last_node].
struct ArenaRecords {
  std::vector<size_t> tensors;
  std::vector<TensorUsageRecord<size_t>> records;
  UserLists users;  // empty in a sequence
  // Of each record, where sharing is left to the planner (sharing.h); else
  // empty.
  std::vector<RecordPlace> places = {};
};
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes, size_t last_node);
// The same where nodes may run at once: with the users of each record, of which
// its interval is the hull. `users` are those of UsersOf.
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes,
                       const UserLists& users);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_LIFETIMES_H_
