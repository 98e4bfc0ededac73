// SPDX-License-Identifier: Apache-2.0
// Defines the two kinds of plans, and converts one kind into the other.
//
// *Shared objects* suit memory that comes in whole buffers, such as GPU buffers
// and textures: each tensor is given one object, and an object serves several
// tensors if they do not conflict. *Offsets* suit a single arena: each tensor
// is given a position in bytes. Offsets leave the planner more freedom, so the
// total is usually smaller. Any assignment of byte-sized objects can be laid
// out as offsets, but not every assignment of offsets can be expressed as
// objects.
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

// An assignment of records to shared objects. Record i uses the object
// object_ids[i], which has the size object_sizes[object_ids[i]]. This size is
// at least the size of record i, in every component if TensorSizeT has several
// components (tensor_size.h). Ids have no gaps: objects are numbered from 0 in
// the order of their creation.
template <typename TensorSizeT>
struct ObjectsAssignment {
  std::vector<size_t> object_ids;
  std::vector<TensorSizeT> object_sizes;
};

// An assignment of records to offsets in an arena of `total_size` bytes. Record
// i occupies bytes [offsets[i], offsets[i] + size). The base address of the
// arena must be a multiple of the largest alignment of all records.
struct OffsetsAssignment {
  std::vector<size_t> offsets;
  size_t total_size = 0;
  // Empty unless the problem has pools (constraints.h). With pools, record i is
  // in the pool with the index pools[i], its offset is relative to the start of
  // this pool, and `total_size` is the sum of the highest ends of the records
  // in each pool.
  std::vector<uint32_t> pools = {};
};

// Returns the sum of the object sizes, in bytes. Error: OutOfRange if the sum
// exceeds 2^64 - 1. O(objects).
StatusOr<size_t> TotalSize(const ObjectsAssignment<size_t>& assignment);

// Places the objects one after another, in the order of their ids. Each record
// gets the start of its object as its offset. The start of an object is rounded
// up to the largest alignment of its records. With alignment 1, the total is
// the sum of the object sizes.
//
// Errors: InvalidArgument if an object id is not below the number of objects or
// an alignment is invalid; OutOfRange, naming the object, if an offset exceeds
// 2^64 - 1. O(records + objects).
StatusOr<OffsetsAssignment> ObjectsToOffsets(
    const ObjectsAssignment<size_t>& assignment,
    const Alignments& alignments = Alignments());

}  // namespace stowage

#endif  // STOWAGE_ASSIGNMENT_H_
