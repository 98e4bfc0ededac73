// SPDX-License-Identifier: Apache-2.0
// Finds tensors of a graph that may share memory, so that a planner can decide
// where sharing is worthwhile. To share memory by a fixed rule instead, use
// PlanLifetimes (lifetimes.h).
//
//   SharedGroups shared = FindSharedGroups(graph, options, 64);
//   ArenaRecords records =
//       RecordsOf(graph, shared.lifetimes, shared.places, last_node);
//
//            node 0   1   2   3
//   a, b     [a][b]                 inputs of a concatenation
//   whole            [whole   ]     its output: a at 0, b at 4096
//   relu                 [relu]     in place: at 0
//
// The four tensors form one group of records of a problem (constraints.h). They
// may share memory because no operator overwrites bytes that another operator
// still reads. A planner may also place any of these tensors elsewhere; in that
// case, the operator has to copy the bytes, which would otherwise already be in
// place.
#ifndef STOWAGE_TFLITE_SHARING_H_
#define STOWAGE_TFLITE_SHARING_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/tflite/lifetimes.h"

namespace stowage {

// The tensors of a graph that may share memory, as rigid groups.
struct SharedGroups {
  // The lifetime of each tensor by itself, regardless of other tensors in its
  // memory.
  std::vector<Lifetime> lifetimes;
  // The group of each tensor, and its displacement in the group. Empty if no
  // tensors may share memory.
  std::vector<RecordPlace> places;
};

// Returns the tensors that may share memory under the rules `cpu`: the tensors
// to which PlanLifetimes gives the same memory, and the parts of nodes
// (ArenaPart) with their wholes. A part may be inside its whole if
//   - `at` is a multiple of `alignment`, and both tensors are in the arena,
//   - the part is not already inside another whole,
//   - for a part that the node reads: the part is not a graph input, and
//     neither the part nor any tensor that shares its memory in place is needed
//     after the node,
//   - for a part that the node writes: the part is not a graph output, the
//     whole is not a graph input, and neither the whole nor any tensor that
//     shares its memory in place is needed after the node.
// If nodes may run at the same time (LifetimeOptions::order), no part may be
// inside its whole. Requires an alignment that is a power of two. O(references
// of nodes to tensors).
SharedGroups FindSharedGroups(const ArenaGraph& graph,
                              const LifetimeOptions& options, size_t alignment);

// Returns the records of RecordsOf (lifetimes.h) and, unless `places` is empty,
// their places in groups. A record that would be the only one of its group is
// in no group.
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes,
                       absl::Span<const RecordPlace> places, size_t last_node);

// Returns the number of bytes that nodes need not copy because the bytes are
// already in place: the bytes of each output in the place of an input with the
// same content (as for RESHAPE), and the bytes of each part inside its whole.
// `places` has an entry for each tensor, or is empty. O(references of nodes to
// tensors).
size_t CountCopiesAvoided(const ArenaGraph& graph,
                          absl::Span<const Lifetime> lifetimes,
                          absl::Span<const RecordPlace> places);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_SHARING_H_
