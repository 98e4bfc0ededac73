// SPDX-License-Identifier: Apache-2.0
// An order in which records are stacked. It gives safe offsets for any sizes.
//
//   StatusOr<StackPlan> plan = StackPlan::Create(records, 64, order);
//   std::vector<size_t> offsets(sizes.size());
//   StatusOr<size_t> total = plan->Offsets(sizes, MakeSpan(offsets));
//
// A record lies at the lowest aligned offset that is not below the end of any
// record that comes before it in the order and conflicts with it. Of two
// records that conflict, the later one thus begins at or above the end of the
// earlier one, whatever their sizes: every stack is safe. A group
// (constraints.h) is stacked as a whole, where the first of its records in the
// order is: its start is the lowest at which all of its records are above those
// before them. Records with fixed offsets, and their groups, lie where they
// are, wherever they are in the order. All others lie above those of them that
// they conflict with.
//
// To find a good order use plan_dynamic.h. Devices evaluate the same plan by
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
  // Creates a plan of no records.
  StackPlan() = default;
  // `order` lists the records by index. Errors: InvalidArgument if it does not
  // list each record once, or an alignment is not a power of two. O(n log n +
  // the pairs that conflict).
  static StatusOr<StackPlan> Create(Span<const ByteRecord> records,
                                    const Alignments& alignments,
                                    std::vector<size_t> order);
  // Creates a plan of the records of a problem, with its alignments, groups and
  // fixed offsets. Other errors, with the record: InvalidArgument if no start
  // of a group has all alignments, or fixed offsets give it different starts or
  // one without these alignments; Unimplemented, with all names, for other
  // constraints. Takes more time if a record lies above many fixed offsets.
  static StatusOr<StackPlan> Create(const ProblemSpec& problem,
                                    std::vector<size_t> order);

  // Writes the offset of each record, in the order of the records, and returns
  // the height: the highest end of a record, in bytes. Both spans have an entry
  // for each record, and no memory in common. Errors, with the records:
  // OutOfRange if an offset or an end exceeds 2^64 - 1; InvalidArgument if a
  // record at a fixed offset reaches above the fixed offset of one that it
  // conflicts with, or both are at the same offset and have bytes. O(n +
  // edges), without memory.
  StatusOr<size_t> Offsets(Span<const size_t> sizes,
                           Span<size_t> offsets) const;

  size_t size() const { return order_.size(); }
  // Returns the records from the bottom to the top. Those with fixed offsets
  // are anywhere.
  Span<const size_t> order() const { return order_; }
  size_t alignment(size_t record) const { return alignments_[record]; }
  // Says whether there are groups or fixed offsets.
  bool has_groups() const { return !step_at_.empty(); }
  // Returns the records on which the record at a position of the order, or its
  // group, may lie: those before it that conflict with it, without those that
  // lie below another of them anyway (the order and the way through the middle
  // give the same bound). In the order of the stack.
  Span<const uint32_t> Below(size_t position) const {
    const size_t step = has_groups() ? step_at_[position] : position;
    if (step == kNoStep) return {};
    const size_t begin = step == 0 ? 0 : steps_[step - 1].edges_end;
    return MakeConstSpan(below_).subspan(begin, steps_[step].edges_end - begin);
  }
  // Returns the number of entries of all lists of Below, each list once.
  size_t edges() const { return below_.size(); }

 private:
  static constexpr uint32_t kNoStep = 0xFFFFFFFF;

  // One record, or a whole group, in the order of the stack. Its edges are the
  // entries of below_ from the end of the step before.
  struct Step {
    uint32_t record = 0;  // or the group, by its index
    uint32_t edges_end = 0;
    size_t alignment_mask = 0;
  };
  // A group, or a record beside groups. Its start is `residue` above a multiple
  // of the alignment.
  struct Group {
    std::vector<uint32_t> records;
    std::vector<size_t> at;  // of each record, above the start
    size_t residue = 0;
  };
  // A record at a fixed offset. It may take as many bytes as there are up to
  // the next such record that conflicts with it.
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
  // Writes the offset of a record, and returns its end. Error: TooHigh, also
  // without an offset.
  static StatusOr<size_t> PlaceRecord(size_t record, optional<size_t> offset,
                                      Span<const size_t> sizes,
                                      Span<size_t> offsets);
  // Returns nothing if a number is 2^62 or more, which need not be an error.
  optional<size_t> OffsetsOfSmall(Span<const size_t> sizes,
                                  Span<size_t> offsets) const;
  StatusOr<size_t> OffsetsOfGroups(Span<const size_t> sizes,
                                   Span<size_t> offsets) const;
  StatusOr<size_t> PlaceFixed(Span<const size_t> sizes,
                              Span<size_t> offsets) const;
  // Places the records of a group, whose start must not be below `bottom`, and
  // returns their highest end.
  StatusOr<size_t> PlaceGroup(const Step& step, size_t bottom,
                              Span<const size_t> sizes,
                              Span<size_t> offsets) const;

  std::vector<size_t> order_;
  std::vector<size_t> alignments_;  // by record
  std::vector<Step> steps_;
  std::vector<uint32_t> below_;  // records
  // Empty without groups and fixed offsets:
  std::vector<FixedRecord> fixed_;
  // Pairs of records that conflict and have the same fixed offset.
  std::vector<std::pair<uint32_t, uint32_t>> same_fixed_;
  std::vector<Group> groups_;
  std::vector<uint32_t> step_at_;  // each position; or kNoStep if it is fixed
  std::vector<size_t> lifts_;  // of each edge, at which the upper one begins
};

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_STACK_PLAN_H_
