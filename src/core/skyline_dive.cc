#include "src/core/skyline_dive.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "src/core/skyline_tree.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

struct Waiting {
  size_t offset;  // no more than it will be
  uint32_t rank;  // in the placing order

  bool operator<(const Waiting& other) const {
    return offset != other.offset ? offset < other.offset : rank < other.rank;
  }
};

// A heap whose least entry is replaced far more often than it is taken out.
class WaitingHeap {
 public:
  // All ranks below `count`, with offset 0: in order, and so a heap.
  explicit WaitingHeap(size_t count) {
    entries_.reserve(count);
    for (uint32_t rank = 0; rank < count; ++rank) entries_.push_back({0, rank});
  }

  bool empty() const { return entries_.empty(); }
  const Waiting& least() const { return entries_.front(); }

  void ReplaceLeast(const Waiting& entry) {
    size_t hole = 0;
    while (true) {
      const size_t first = hole * kFanOut + 1;
      if (first >= entries_.size()) break;
      const size_t end = std::min(first + kFanOut, entries_.size());
      size_t least = first;
      for (size_t child = first + 1; child < end; ++child) {
        if (entries_[child] < entries_[least]) least = child;
      }
      if (!(entries_[least] < entry)) break;
      entries_[hole] = entries_[least];
      hole = least;
    }
    entries_[hole] = entry;
  }

  void RemoveLeast() {
    const Waiting last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) ReplaceLeast(last);
  }

 private:
  static constexpr size_t kFanOut = 4;

  std::vector<Waiting> entries_;
};

}  // namespace

absl::optional<OffsetsAssignment> DiveInSkyline(
    absl::Span<const ByteRecord> records, const IntervalRanks& ranks,
    absl::Span<const uint32_t> order, const Alignments& alignments,
    size_t limit, WorkLimit* work) {
  SkylineTree skyline(ranks.tasks.size());
  WaitingHeap waiting(order.size());
  OffsetsAssignment plan;
  plan.offsets.resize(records.size());
  while (!waiting.empty()) {
    if (!work->Spend(1)) return absl::nullopt;
    const Waiting next = waiting.least();
    const uint32_t record = order[next.rank];
    const StepInterval interval = ranks.intervals[record];
    // A record without bytes can lie anywhere, and hides nothing.
    const size_t size = records[record].tensor_size;
    const size_t offset =
        size == 0 ? 0
                  : AlignUp(skyline.Highest(interval), alignments.Of(record));
    if (offset > next.offset) {
      waiting.ReplaceLeast({offset, next.rank});
      continue;
    }
    const size_t end = offset + size;
    if (end >= limit) return absl::nullopt;
    waiting.RemoveLeast();
    if (size > 0) skyline.Raise(interval, end);
    plan.offsets[record] = offset;
    plan.total_size = std::max(plan.total_size, end);
  }
  return plan;
}

}  // namespace stowage
