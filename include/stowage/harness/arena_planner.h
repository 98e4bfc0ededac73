// The arena planner of a CPU interpreter: computes tensor lifetimes, decides
// which outputs reuse the memory of an input, and places tensors by best fit.
// To place the same lifetimes with a strategy of this library, pass their
// records (RecordsOf) to planner.h.
//
//   std::vector<Lifetime> lifetimes = PlanLifetimes(graph, options);
//   ArenaPlan plan;
//   absl::Status status =
//       PlaceTensors(graph, lifetimes, 0, last_node, 64, &plan);
//
// Plans equal those of TensorFlow Lite's arena planner (docs/arena.md), except
// where its rules would let an operator overwrite a tensor that a later
// operator still reads.
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
  // Only the first `sharing_nodes` nodes may share memory in place: sizes of
  // later tensors are not known yet.
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

// Offsets of tensors, in bytes from the start of their arena; each is a
// multiple of the alignment.
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

// The same for the persistent arena alone, for use when a strategy places the
// other tensors.
absl::Status PlacePersistent(const ArenaGraph& graph,
                             absl::Span<const Lifetime> lifetimes,
                             size_t first_node, size_t last_node,
                             size_t alignment, ArenaPlan* plan);

// The input of a strategy: the tensors of the arena that have bytes
// and memory of their own, and are first needed at nodes [0, last_node].
struct ArenaRecords {
  std::vector<size_t> tensors;
  std::vector<TensorUsageRecord<size_t>> records;
};
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes, size_t last_node);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_ARENA_PLANNER_H_
