// The arena of a CPU interpreter: when each tensor needs memory, which outputs
// take over the memory of an input, and where everything goes.
//
//   lifetimes = PlanLifetimes(graph, options)         when, and shared with
//   whom PlaceTensors(graph, lifetimes, 0, last, 64, &plan)   where, by best
//   fit
//
// These are the rules of TensorFlow Lite's arena planner, plan for plan
// (docs/arena.md), but where those would let an operator overwrite what another
// still reads. To plan the same lifetimes with a strategy of this library, take
// their records (RecordsOf) to planner.h.
#ifndef STOWAGE_HARNESS_ARENA_PLANNER_H_
#define STOWAGE_HARNESS_ARENA_PLANNER_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/usage_record.h"

namespace stowage::harness {

struct ArenaTensor {
  size_t bytes = 0;
  // kArena and kPersistent are placed; others are not.
  Storage storage = Storage::kArena;
};

struct ArenaNode {
  std::vector<size_t> inputs;  // tensors; kAbsent for those left out
  std::vector<size_t> outputs;
  std::vector<size_t> temporaries;  // live during this node only
  InPlace in_place = InPlace::kNever;
};

// Nodes are tasks, in the order in which they run.
struct ArenaGraph {
  std::vector<ArenaTensor> tensors;
  std::vector<ArenaNode> nodes;
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  std::vector<size_t> variables;
};

enum class IoLifetime {
  kKeep,  // a graph input lives to the last node, as the CPU planner has it
  kUse,   // a graph input lives to the last node that reads it
};

struct LifetimeOptions {
  IoLifetime io = IoLifetime::kKeep;
  bool preserve_all = false;  // nothing is freed, nothing shared
  // Only these many nodes, the first, may share memory in place: sizes of
  // tensors after them are not known yet.
  size_t sharing_nodes = static_cast<size_t>(-1);
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

// Where tensors lie: in bytes from the start of their arena, a multiple of the
// alignment.
struct ArenaPlan {
  // Of each tensor that has memory of its own; none for those that share, have
  // no bytes, or are not placed yet.
  std::vector<absl::optional<size_t>> offsets;
  size_t arena_bytes = 0;       // high-water marks
  size_t persistent_bytes = 0;  // likewise
};

// Places the tensors that are first needed at nodes [first_node, last_node]
// (inclusive) around those that are placed already, by best fit. Error:
// OutOfRange, naming the tensor, if an offset passes 2^64 - 1. O(n^2) for n
// tensors.
absl::Status PlaceTensors(const ArenaGraph& graph,
                          absl::Span<const Lifetime> lifetimes,
                          size_t first_node, size_t last_node, size_t alignment,
                          ArenaPlan* plan);

// The same for the persistent arena alone: for those who place the others by a
// strategy.
absl::Status PlacePersistent(const ArenaGraph& graph,
                             absl::Span<const Lifetime> lifetimes,
                             size_t first_node, size_t last_node,
                             size_t alignment, ArenaPlan* plan);

// What a strategy is asked to place: the tensors of the arena that have bytes
// and memory of their own, and are first needed at nodes [0, last_node].
struct ArenaRecords {
  std::vector<size_t> tensors;
  std::vector<TensorUsageRecord<size_t>> records;
};
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes, size_t last_node);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_ARENA_PLANNER_H_
