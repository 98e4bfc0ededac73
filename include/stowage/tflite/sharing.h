// SPDX-License-Identifier: Apache-2.0
// Which tensors of a graph may lie on each other, for a planner to decide where
// that pays. Where a fixed rule is to decide, PlanLifetimes (lifetimes.h) has
// it.
//
//   SharedBodies shared = FindSharedBodies(graph, options, 64);
//   ArenaRecords records =
//       RecordsOf(graph, shared.lifetimes, shared.places, last_node);
//
//            node 0   1   2   3
//   a, b     [a][b]                 inputs of a concatenation
//   whole            [whole   ]     its output: a at 0 of it, b at 4096
//   relu                 [relu]     in place: at 0
//
// The four are one body: a group of records in a problem (constraints.h) that
// may lie on each other because no operator overwrites what another still
// reads. Any of them may also lie elsewhere; its operator then copies.
#ifndef STOWAGE_TFLITE_SHARING_H_
#define STOWAGE_TFLITE_SHARING_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/tflite/lifetimes.h"

namespace stowage {

struct SharedBodies {
  // By tensor: its own, whatever it shares with.
  std::vector<Lifetime> lifetimes;
  // By tensor: its body as a group, and where it lies in that. Empty if nothing
  // may share.
  std::vector<RecordPlace> places;
};

// What may share under the rules `cpu`: what PlanLifetimes puts in one place,
// and parts of nodes (ArenaPart) inside their wholes. For that
//   - `at` is a multiple of `alignment`, and both tensors are in the arena;
//   - a part that the node reads is no graph input, and neither it nor anything
//     that shares with it in place is needed after the node;
//   - a part that the node writes is no graph output, and the whole no graph
//     input, nor is that, or what shares with it, needed after the node;
//   - the part lies in no other whole.
// Without parts where nodes may run at once (LifetimeOptions::order). Requires
// a power of two. O(references of nodes to tensors).
SharedBodies FindSharedBodies(const ArenaGraph& graph,
                              const LifetimeOptions& options, size_t alignment);

// As RecordsOf (lifetimes.h), with the places of the records if there are any;
// a group of which one record is left is none.
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes,
                       absl::Span<const RecordPlace> places, size_t last_node);

// Bytes that nodes do not copy because they lie in place already: outputs with
// the very bytes of an input (RESHAPE), and parts. `places` are by tensor, or
// none. O(references of nodes to tensors).
size_t CountCopiesAvoided(const ArenaGraph& graph,
                          absl::Span<const Lifetime> lifetimes,
                          absl::Span<const RecordPlace> places);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_SHARING_H_
