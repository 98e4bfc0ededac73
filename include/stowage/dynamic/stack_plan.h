// SPDX-License-Identifier: Apache-2.0
// Computes safe offsets for any sizes, from an order in which records are
// stacked.
//
//   StatusOr<StackPlan> plan = StackPlan::Create(records, 64, order);
//   std::vector<size_t> offsets(sizes.size());
//   StatusOr<size_t> total = plan->Offsets(sizes, MakeSpan(offsets));
//
// Each record gets the lowest aligned offset at or above the ends of all
// records that precede it in the order and conflict with it. If two records
// conflict, the later one therefore begins at or above the end of the earlier
// one, so every stack is safe for all sizes.
//
// A group (constraints.h) is stacked as a whole, at the position of its first
// record in the order. Its start is the lowest one at which each of its records
// is above all preceding records that conflict with this record. Records with
// fixed offsets, and their groups, keep their offsets regardless of their
// position in the order. All other records are placed above the fixed records
// with which they conflict.
//
// To find a good order, use plan_dynamic.h. To evaluate the same plan on a
// device, use stowage/micro/stack.h, which is in C99.
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
  // Creates a plan. `order` lists the indices of the records. Errors:
  // InvalidArgument if `order` does not list each record once, or if an
  // alignment is not a power of two. O(n log n + the pairs that conflict).
  static StatusOr<StackPlan> Create(Span<const ByteRecord> records,
                                    const Alignments& alignments,
                                    std::vector<size_t> order);
  // Creates a plan of the records of a problem, with the alignments, groups and
  // fixed offsets of the problem. Further errors: InvalidArgument, with the
  // record, if no start of a group satisfies the alignments of all of its
  // records, or if fixed offsets give a group different starts or a start that
  // violates these alignments; Unimplemented, with the names of all other
  // constraints, if the problem has other constraints. Slower if a record is
  // above many fixed offsets.
  static StatusOr<StackPlan> Create(const ProblemSpec& problem,
                                    std::vector<size_t> order);

  // Writes the offset of each record, in the order of the records. Returns the
  // height, which is the highest end of a record, in bytes. Requires that both
  // spans have an entry for each record and do not overlap. A successful call
  // allocates no memory. Errors, with the records: OutOfRange if an offset or
  // an end exceeds 2^64 - 1; InvalidArgument if two records with fixed offsets
  // conflict and the lower one ends above the offset of the other, or if they
  // conflict, have the same offset and are both nonempty. O(n + edges).
  StatusOr<size_t> Offsets(Span<const size_t> sizes,
                           Span<size_t> offsets) const;

  size_t size() const { return order_.size(); }
  // Returns the records from the bottom to the top. Records with fixed offsets
  // may be at any position.
  Span<const size_t> order() const { return order_; }
  size_t alignment(size_t record) const { return alignments_[record]; }
  // Returns whether there are groups or fixed offsets.
  bool has_groups() const { return !step_at_.empty(); }
  // Returns the records that may be directly below the record at `position` in
  // the order, or directly below its group. These records precede the record,
  // and conflict with it or with its group. They are in the order of the stack.
  // The list omits a preceding record that is always below another record of
  // the list, because only the upper one of the two determines the offset.
  Span<const uint32_t> Below(size_t position) const {
    const size_t step = has_groups() ? step_at_[position] : position;
    if (step == kNoStep) return {};
    const size_t begin = step == 0 ? 0 : steps_[step - 1].edges_end;
    return MakeConstSpan(below_).subspan(begin, steps_[step].edges_end - begin);
  }
  // Returns the total length of all lists that Below returns. A list that is
  // the same for several positions counts once.
  size_t edges() const { return below_.size(); }

 private:
  static constexpr uint32_t kNoStep = 0xFFFFFFFF;

  // A record or a whole group, in the order of the stack. The edges of a step
  // are the entries of below_ from the previous step's `edges_end` to its own
  // `edges_end`.
  struct Step {
    uint32_t record = 0;  // the record, or the index of the group
    uint32_t edges_end = 0;
    size_t alignment_mask = 0;
  };
  // A group, or a single record in a problem with groups. The start of the
  // group modulo the alignment must be `residue`.
  struct Group {
    std::vector<uint32_t> records;
    std::vector<size_t> at;  // the distance of each record from the start
    size_t residue = 0;
  };
  // A record at a fixed offset. `next` is the lowest of the records above it
  // that have fixed offsets and conflict with it. `room` is the offset of
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
  // Writes the offset of a record and returns its end. Error: TooHigh if
  // `offset` is nullopt, or if the end exceeds 2^64 - 1.
  static StatusOr<size_t> PlaceRecord(size_t record, optional<size_t> offset,
                                      Span<const size_t> sizes,
                                      Span<size_t> offsets);
  // Computes the offsets if all numbers are below 2^62, and returns nullopt
  // otherwise. Nullopt is not necessarily an error: the caller must then
  // compute the offsets with checks for overflow.
  optional<size_t> OffsetsOfSmall(Span<const size_t> sizes,
                                  Span<size_t> offsets) const;
  StatusOr<size_t> OffsetsOfGroups(Span<const size_t> sizes,
                                   Span<size_t> offsets) const;
  StatusOr<size_t> PlaceFixed(Span<const size_t> sizes,
                              Span<size_t> offsets) const;
  // Places the records of a group at or above `bottom`, and returns their
  // highest end.
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
  // For each edge, the distance of the upper record from the start of its
  // group.
  std::vector<size_t> lifts_;
};

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_STACK_PLAN_H_
