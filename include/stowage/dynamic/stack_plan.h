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
// earlier one, whatever their sizes: every stack is safe. To find a good order
// use plan_dynamic.h. Devices evaluate the same plan by stowage/micro/stack.h,
// in C99.
#ifndef STOWAGE_DYNAMIC_STACK_PLAN_H_
#define STOWAGE_DYNAMIC_STACK_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"
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
  // Creates a plan of the records of a problem, with its alignments.
  static StatusOr<StackPlan> Create(const ProblemSpec& problem,
                                    std::vector<size_t> order);

  // Writes the offset of each record, in the order of the records, and returns
  // the height: the highest end of a record, in bytes. Both spans have an entry
  // for each record. Error: OutOfRange, with the record, if an offset or an end
  // exceeds 2^64 - 1. O(n + edges), without memory.
  StatusOr<size_t> Offsets(Span<const size_t> sizes,
                           Span<size_t> offsets) const;

  size_t size() const { return order_.size(); }
  // Returns the records from the bottom to the top.
  Span<const size_t> order() const { return order_; }
  size_t alignment(size_t record) const { return alignments_[record]; }
  // Returns the records on which the record at a position of the order may lie:
  // those before it that conflict with it, without those that lie below another
  // of them anyway (the order and the way through the middle give the same
  // bound). In rising order of positions.
  Span<const uint32_t> Below(size_t position) const {
    return MakeConstSpan(below_).subspan(ends_[position],
                                         ends_[position + 1] - ends_[position]);
  }
  // Returns the number of entries of all lists of Below.
  size_t edges() const { return below_.size(); }

 private:
  std::vector<size_t> order_;
  std::vector<size_t> alignments_;  // by record
  std::vector<uint32_t> below_;
  std::vector<size_t> ends_ = {0};
};

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_STACK_PLAN_H_
