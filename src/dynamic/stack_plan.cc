// SPDX-License-Identifier: Apache-2.0
#include "stowage/dynamic/stack_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/dynamic/stack_edges.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Sums of numbers below kSmall need no check for overflow, because two such
// numbers and an alignment of at most 2^63 add up to less than 2^64.
constexpr size_t kSmall = size_t{1} << 62;

Status CheckOrder(size_t records, Span<const size_t> order) {
  if (order.size() != records) {
    return InvalidArgumentError(StrCat("an order of ", order.size(),
                                       " records; expected all ", records));
  }
  std::vector<bool> seen(records, false);
  for (const size_t record : order) {
    if (record >= records || seen[record]) {
      return InvalidArgumentError(
          StrCat("record ", record,
                 record < records ? " twice in the order; expected each once"
                                  : " in the order does not exist"));
    }
    seen[record] = true;
  }
  return OkStatus();
}

}  // namespace

Status StackPlan::TooHigh(size_t record) {
  return OutOfRangeError(
      StrCat("record ", record, ": it would end beyond 2^64 - 1"));
}

StatusOr<size_t> StackPlan::PlaceRecord(size_t record, optional<size_t> offset,
                                        Span<const size_t> sizes,
                                        Span<size_t> offsets) {
  const optional<size_t> end =
      offset ? CheckedAdd(*offset, sizes[record]) : nullopt;
  if (!end) return TooHigh(record);
  offsets[record] = *offset;
  return *end;
}

StatusOr<StackPlan> StackPlan::OfOrder(size_t records,
                                       const Alignments& alignments,
                                       std::vector<size_t> order) {
  if (Status s = CheckOrder(records, order); !s.ok()) return s;
  if (Status s = alignments.Check(records); !s.ok()) return s;
  StackPlan plan;
  plan.order_ = std::move(order);
  plan.alignments_.reserve(records);
  for (size_t record = 0; record < records; ++record) {
    plan.alignments_.push_back(alignments.Of(record));
  }
  return plan;
}

StatusOr<StackPlan> StackPlan::Create(Span<const ByteRecord> records,
                                      const Alignments& alignments,
                                      std::vector<size_t> order) {
  StatusOr<StackPlan> created =
      OfOrder(records.size(), alignments, std::move(order));
  if (!created.ok()) return created;
  StackPlan& plan = *created;
  const std::vector<RankRange> ranges = RankRanges(records);
  std::vector<RankRange> by_position;
  by_position.reserve(records.size());
  plan.steps_.reserve(records.size());
  StackSkyline skyline;
  for (const size_t record : plan.order_) {
    const auto position = static_cast<uint32_t>(by_position.size());
    std::vector<uint32_t> below = skyline.Put(position, ranges[record]);
    DropImplied(by_position, &below);
    for (const uint32_t at : below) {
      plan.below_.push_back(static_cast<uint32_t>(plan.order_[at]));
    }
    plan.steps_.push_back({static_cast<uint32_t>(record),
                           static_cast<uint32_t>(plan.below_.size()),
                           plan.alignments_[record] - 1});
    by_position.push_back(ranges[record]);
  }
  return created;
}

// Runtimes call this function, and wait for it, at every change of a shape. It
// is therefore written for speed: no bounds-checked spans, no branches for
// overflow, and few instructions per record. `offsets` holds the ends of the
// records until all ends are known.
optional<size_t> StackPlan::OffsetsOfSmall(Span<const size_t> sizes,
                                           Span<size_t> offsets) const {
  const size_t* const size_of = sizes.data();
  size_t* const end_of = offsets.data();
  const uint32_t* edge = below_.data();
  size_t height = 0;
  size_t all_bits = 0;
  for (const Step& step : steps_) {
    const uint32_t* const edges_end = below_.data() + step.edges_end;
    size_t offset = 0;
    if (edge != edges_end) {
      size_t bottom = end_of[*edge];
      while (++edge != edges_end) bottom = std::max(bottom, end_of[*edge]);
      offset = (bottom + step.alignment_mask) & ~step.alignment_mask;
    }
    const size_t size = size_of[step.record];
    const size_t end = offset + size;
    all_bits |= size | end | step.alignment_mask;
    end_of[step.record] = end;
    height = std::max(height, end);
  }
  if (all_bits >= kSmall) return nullopt;
  for (size_t i = 0; i < steps_.size(); ++i) end_of[i] -= size_of[i];
  return height;
}

StatusOr<size_t> StackPlan::Offsets(Span<const size_t> sizes,
                                    Span<size_t> offsets) const {
  if (has_groups()) return OffsetsOfGroups(sizes, offsets);
  if (const optional<size_t> height = OffsetsOfSmall(sizes, offsets)) {
    return *height;
  }
  size_t height = 0;
  size_t edge = 0;
  for (const Step& step : steps_) {
    size_t bottom = 0;
    for (; edge < step.edges_end; ++edge) {
      const size_t below = below_[edge];
      bottom = std::max(bottom, offsets[below] + sizes[below]);
    }
    StatusOr<size_t> end = PlaceRecord(
        step.record, CheckedAlignUp(bottom, step.alignment_mask + 1), sizes,
        offsets);
    if (!end.ok()) return end;
    height = std::max(height, *end);
  }
  return height;
}

}  // namespace stowage
