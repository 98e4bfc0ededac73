// SPDX-License-Identifier: Apache-2.0
// Defines the two kinds of plan, and converts one kind into the other.
//
// *Shared objects* suit memory that comes in whole buffers (GPU buffers and
// textures): each tensor is given one object, and an object serves tensors that
// do not conflict. *Offsets* suit one arena: each tensor is given a byte
// position. This leaves the planner more freedom, and the total is usually
// smaller. Any assignment of byte-sized objects can be laid out as offsets; the
// reverse is not possible in general.
//
//   StatusOr<OffsetsAssignment> arena = ObjectsToOffsets(objects);
//
// To check whether an assignment is safe, use verify.h.
#ifndef STOWAGE_ASSIGNMENT_H_
#define STOWAGE_ASSIGNMENT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/tensor_size.h"

namespace stowage {

// object_ids[i] is the object of record i. The size of this object,
// object_sizes[object_ids[i]], is at least the size of record i. If TensorSizeT
// has several components (tensor_size.h), this holds for every component. Ids
// are dense: objects are numbered in the order of their creation.
template <typename TensorSizeT>
struct ObjectsAssignment {
  std::vector<size_t> object_ids;
  std::vector<TensorSizeT> object_sizes;
};

// Record i occupies bytes [offsets[i], offsets[i] + size) of an arena of
// `total_size` bytes. The base address of the arena must be a multiple of the
// largest alignment of any record.
struct OffsetsAssignment {
  std::vector<size_t> offsets;
  size_t total_size = 0;
  // If the problem has pools (constraints.h), pools[i] is the index of the pool
  // in which record i lies, and `total_size` is the sum of the highest ends of
  // all pools. Otherwise this list is empty.
  std::vector<uint32_t> pools = {};
};

// Returns the sum of the object sizes, in bytes. Error: OutOfRange if the sum
// exceeds 2^64 - 1. O(objects).
StatusOr<size_t> TotalSize(const ObjectsAssignment<size_t>& assignment);

// Lays the objects out in the order of their ids; a tensor's offset is the
// start of its object. The start of an object is rounded up to the largest
// alignment among its tensors. With alignment 1, the total is the sum of the
// object sizes.
//
// Errors: InvalidArgument if an object id is not below the number of objects or
// an alignment is invalid; OutOfRange, naming the object, if an offset passes
// 2^64 - 1. O(tensors + objects).
StatusOr<OffsetsAssignment> ObjectsToOffsets(
    const ObjectsAssignment<size_t>& assignment,
    const Alignments& alignments = Alignments());

}  // namespace stowage

#endif  // STOWAGE_ASSIGNMENT_H_
