// SPDX-License-Identifier: Apache-2.0
// Finds tensors of a graph that may share memory, so that a planner can decide
// where sharing pays. To share memory by a fixed rule instead, use
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
// still reads. A planner may also place any of these tensors elsewhere. The
// operator that would have found the bytes in place then copies them.
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
  // The lifetime of each tensor alone, regardless of the tensors that share its
  // memory.
  std::vector<Lifetime> lifetimes;
  // The group of each tensor, and its displacement in that group. The list is
  // empty if no tensors may share memory.
  std::vector<RecordPlace> places;
};

// Returns the tensors that may share memory under the rules `cpu`. These are
// the tensors to which PlanLifetimes gives the same memory, and parts of nodes
// (ArenaPart) inside their wholes. A part may lie in its whole if
//   - `at` is a multiple of `alignment`, and both tensors are in the arena,
//   - the part does not lie in another whole already,
//   - for a part that the node reads: the part is not a graph input, and
//     neither the part nor any tensor that shares its memory in place is needed
//     after the node,
//   - for a part that the node writes: the part is not a graph output, the
//     whole is not a graph input, and neither the whole nor any tensor that
//     shares its memory in place is needed after the node.
// If nodes may run at the same time (LifetimeOptions::order), no part lies in
// its whole. Requires an alignment that is a power of two. O(references of
// nodes to tensors).
SharedGroups FindSharedGroups(const ArenaGraph& graph,
                              const LifetimeOptions& options, size_t alignment);

// Returns the same records as RecordsOf of lifetimes.h, together with their
// places in groups unless `places` is empty. A group that would have only one
// record is dissolved.
ArenaRecords RecordsOf(const ArenaGraph& graph,
                       absl::Span<const Lifetime> lifetimes,
                       absl::Span<const RecordPlace> places, size_t last_node);

// Returns the number of bytes that nodes need not copy because these bytes are
// already in place: the bytes of each output that lies in the place of an input
// with the same content (as for RESHAPE), and the bytes of each part that lies
// in its whole. `places` has an entry for each tensor, or is empty.
// O(references of nodes to tensors).
size_t CountCopiesAvoided(const ArenaGraph& graph,
                          absl::Span<const Lifetime> lifetimes,
                          absl::Span<const RecordPlace> places);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_SHARING_H_
