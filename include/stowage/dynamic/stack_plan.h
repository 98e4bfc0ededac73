// SPDX-License-Identifier: Apache-2.0
// Computes safe offsets for any sizes, from an order in which records are
// stacked.
//
//   StatusOr<StackPlan> plan = StackPlan::Create(records, 64, order);
//   std::vector<size_t> offsets(sizes.size());
//   StatusOr<size_t> total = plan->Offsets(sizes, MakeSpan(offsets));
//
// Each record lies above those earlier records of the order with which it
// conflicts: it gets the lowest aligned offset that is not below the end of any
// of them. Of two records that conflict, the later one thus begins at or above
// the end of the earlier one. Therefore, every stack is safe, whatever the
// sizes are. A group (constraints.h) is stacked as a whole, at the position of
// its first record in the order. The group starts as low as possible, provided
// that each of its records lies above the earlier records with which this
// record conflicts. Records with fixed offsets, and their groups, keep their
// offsets, wherever they are in the order. All other records lie above the
// fixed records that they conflict with.
//
// To find a good order, use plan_dynamic.h. Devices evaluate the same plan by
// stowage/micro/stack.h, in C99.
#ifndef STOWAGE_DYNAMIC_STACK_PLAN_H_
#define STOWAGE_DYNAMIC_STACK_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {

struct ProblemSpec;

class StackPlan {
 public:
  // Creates a plan without records.
  StackPlan() = default;
  // `order` lists the records by index. Errors: InvalidArgument if it does not
  // list each record once, or an alignment is not a power of two. O(n log n +
  // the pairs that conflict).
  static StatusOr<StackPlan> Create(Span<const ByteRecord> records,
                                    const Alignments& alignments,
                                    std::vector<size_t> order);
  // Creates a plan of the records of a problem, with the alignments, groups and
  // fixed offsets of the problem. Further errors: InvalidArgument, with the
  // record, if no start of a group satisfies the alignments of all of its
  // records, or if fixed offsets give a group different starts or a start that
  // does not satisfy these alignments; Unimplemented, with the names of all
  // other constraints, if the problem has any. Takes more time if a record lies
  // above many fixed offsets.
  static StatusOr<StackPlan> Create(const ProblemSpec& problem,
                                    std::vector<size_t> order);

  // Writes the offset of each record, in the order of the records, and returns
  // the height: the highest end of a record, in bytes. Both spans have an entry
  // for each record, and share no memory. Errors, with the records: OutOfRange
  // if an offset or an end exceeds 2^64 - 1; InvalidArgument if two records
  // with fixed offsets conflict, and the lower one reaches above the offset of
  // the other, or both have the same offset and neither is empty. O(n + edges).
  // Allocates no memory unless it fails.
  StatusOr<size_t> Offsets(Span<const size_t> sizes,
                           Span<size_t> offsets) const;

  size_t size() const { return order_.size(); }
  // Returns the records from the bottom to the top. Records with fixed offsets
  // may be at any position.
  Span<const size_t> order() const { return order_; }
  size_t alignment(size_t record) const { return alignments_[record]; }
  // Returns whether there are groups or fixed offsets.
  bool has_groups() const { return !step_at_.empty(); }
  // Returns the records that may lie directly below the record at `position` in
  // the order, or directly below its group. These records come earlier in the
  // order, and conflict with the record or with its group. They are listed in
  // the order of the stack. If an earlier record always lies below another
  // record of the list, it is left out, because only the higher record gives
  // the bound.
  Span<const uint32_t> Below(size_t position) const {
    const size_t step = has_groups() ? step_at_[position] : position;
    if (step == kNoStep) return {};
    const size_t begin = step == 0 ? 0 : steps_[step - 1].edges_end;
    return MakeConstSpan(below_).subspan(begin, steps_[step].edges_end - begin);
  }
  // Returns the total length of all lists that Below returns. If several
  // positions have the same list, this list counts once.
  size_t edges() const { return below_.size(); }

 private:
  static constexpr uint32_t kNoStep = 0xFFFFFFFF;

  // One record, or a whole group, in the order of the stack. The edges of a
  // step are the entries of below_ from the previous step's `edges_end` up to
  // its own `edges_end`.
  struct Step {
    uint32_t record = 0;  // the record, or the index of the group
    uint32_t edges_end = 0;
    size_t alignment_mask = 0;
  };
  // A group, or a single record in a problem with groups. The start of the
  // group must exceed a multiple of the alignment by exactly `residue`.
  struct Group {
    std::vector<uint32_t> records;
    std::vector<size_t> at;  // the distance of each record from the start
    size_t residue = 0;
  };
  // A record at a fixed offset. Among the records above it that have fixed
  // offsets and conflict with it, `next` is the lowest. `room` is the offset of
  // `next` minus the offset of this record.
  struct FixedRecord {
    uint32_t record = 0;
    size_t offset = 0;
    optional<size_t> room;
    uint32_t next = 0;
  };
  class GroupBuilder;

  static StatusOr<StackPlan> OfOrder(size_t records,
                                     const Alignments& alignments,
                                     std::vector<size_t> order);
  static Status TooHigh(size_t record);
  // Writes the offset of a record, and returns its end. Error: TooHigh if there
  // is no offset, or if the end exceeds 2^64 - 1.
  static StatusOr<size_t> PlaceRecord(size_t record, optional<size_t> offset,
                                      Span<const size_t> sizes,
                                      Span<size_t> offsets);
  // Computes the offsets if all numbers are below 2^62. Otherwise returns
  // nothing; this is not always an error, so the caller then computes the
  // offsets with checks for overflow.
  optional<size_t> OffsetsOfSmall(Span<const size_t> sizes,
                                  Span<size_t> offsets) const;
  StatusOr<size_t> OffsetsOfGroups(Span<const size_t> sizes,
                                   Span<size_t> offsets) const;
  StatusOr<size_t> PlaceFixed(Span<const size_t> sizes,
                              Span<size_t> offsets) const;
  // Places the records of a group, and returns their highest end. The start of
  // the group must not be below `bottom`.
  StatusOr<size_t> PlaceGroup(const Step& step, size_t bottom,
                              Span<const size_t> sizes,
                              Span<size_t> offsets) const;

  std::vector<size_t> order_;
  std::vector<size_t> alignments_;  // by record
  std::vector<Step> steps_;
  std::vector<uint32_t> below_;  // records
  // The lists below are empty if there are no groups and no fixed offsets.
  std::vector<FixedRecord> fixed_;
  // Pairs of records that conflict and have the same fixed offset.
  std::vector<std::pair<uint32_t, uint32_t>> same_fixed_;
  std::vector<Group> groups_;
  std::vector<uint32_t> step_at_;  // by position; kNoStep for fixed records
  // For each edge, the distance of the upper record from the start of its own
  // group.
  std::vector<size_t> lifts_;
};

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_STACK_PLAN_H_
