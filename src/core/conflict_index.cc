#include "src/core/conflict_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "absl/types/span.h"

namespace stowage {

ConflictIndex::ConflictIndex(absl::Span<const StepInterval> intervals)
    : intervals_(intervals),
      records_(intervals.size()),
      begins_(intervals.size()),
      ends_(intervals.size(), kAbsent),
      position_(intervals.size()) {
  std::iota(records_.begin(), records_.end(), uint32_t{0});
  const auto earlier = [&](uint32_t a, uint32_t b) {
    return intervals[a].begin < intervals[b].begin;
  };
  if (!std::is_sorted(records_.begin(), records_.end(), earlier)) {
    std::stable_sort(records_.begin(), records_.end(), earlier);
  }
  for (size_t p = 0; p < records_.size(); ++p) {
    begins_[p] = intervals[records_[p]].begin;
    position_[records_[p]] = static_cast<uint32_t>(p);
  }
  while (leaves_ * kBlock < intervals.size()) leaves_ *= 2;
  latest_.assign(2 * leaves_, kAbsent);
}

void ConflictIndex::Set(size_t position, uint32_t end) {
  ends_[position] = end;
  const size_t block = position / kBlock;
  const size_t stop = std::min(ends_.size(), (block + 1) * kBlock);
  size_t node = leaves_ + block;
  uint32_t latest = kAbsent;
  for (size_t p = block * kBlock; p < stop; ++p) {
    latest = std::max(latest, ends_[p]);
  }
  while (latest_[node] != latest) {
    latest_[node] = latest;
    node /= 2;
    if (node == 0) return;
    latest = std::max(latest_[2 * node], latest_[2 * node + 1]);
  }
}

}  // namespace stowage
