// SPDX-License-Identifier: Apache-2.0
#include "src/proof/fixed_room.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/lower_bound.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"

namespace stowage::certificate {
namespace {

// The maximum number of visits of fixed records in the check of a bound. Such a
// check takes less than a second.
constexpr uint64_t kMaxChecks = uint64_t{1} << 26;

struct FixedRecord {
  size_t begin = 0;  // the bytes are [begin, end)
  size_t end = 0;
  ByteRecord record;
};

// Returns the fixed records that have bytes, sorted by offset.
std::vector<FixedRecord> FixedRecordsOf(const Problem& problem) {
  std::vector<FixedRecord> fixed;
  for (size_t i = 0; i < problem.size(); ++i) {
    const ByteRecord& record = problem.records()[i];
    const optional<size_t> offset = problem.fixed_offset(i);
    if (!offset || record.tensor_size == 0) continue;
    fixed.push_back({*offset, *offset + record.tensor_size, record});
  }
  std::sort(fixed.begin(), fixed.end(),
            [](const FixedRecord& a, const FixedRecord& b) {
              return a.begin < b.begin;
            });
  return fixed;
}

// Returns the lowest end that a record can have without overlapping fixed
// records. Problem::Create has checked that no sum exceeds 64 bits.
size_t LowestEnd(Span<const FixedRecord> fixed, const ByteRecord& record,
                 size_t alignment) {
  size_t offset = 0;
  for (const FixedRecord& other : fixed) {
    if (other.begin >= offset + record.tensor_size) break;
    const bool is_live_with_it = other.record.first_task <= record.last_task &&
                                 record.first_task <= other.record.last_task;
    if (is_live_with_it && other.end > offset) {
      offset = *CheckedAlignUp(other.end, alignment);
    }
  }
  return offset + record.tensor_size;
}

// Returns the lowest possible end of the bytes that are live at a task and not
// fixed, as if these bytes could be divided into pieces of any size.
size_t LowestEndOfTask(Span<const FixedRecord> fixed, const TaskBreadth& live) {
  const auto is_live = [&](const FixedRecord& other) {
    return other.record.first_task <= live.task &&
           live.task <= other.record.last_task;
  };
  size_t end = live.breadth;
  for (const FixedRecord& other : fixed) {
    if (is_live(other)) end -= other.record.tensor_size;
  }
  for (const FixedRecord& other : fixed) {
    if (other.begin >= end) break;
    if (is_live(other)) end += other.record.tensor_size;
  }
  return end;
}

}  // namespace

optional<size_t> BoundOfFixedRoom(const Problem& problem) {
  const std::vector<FixedRecord> fixed = FixedRecordsOf(problem);
  const Span<const TaskBreadth> tasks = BreadthsOf(problem);
  const uint64_t looks = uint64_t{problem.size() + tasks.size()} * fixed.size();
  if (looks > kMaxChecks) return nullopt;
  size_t bound = LowerBoundOf(problem).bytes;
  for (size_t i = 0; i < problem.size(); ++i) {
    const ByteRecord& record = problem.records()[i];
    if (record.tensor_size == 0 || problem.fixed_offset(i)) continue;
    bound =
        std::max(bound, LowestEnd(fixed, record, problem.alignments().Of(i)));
  }
  for (const TaskBreadth& live : tasks) {
    bound = std::max(bound, LowestEndOfTask(fixed, live));
  }
  return bound;
}

}  // namespace stowage::certificate
