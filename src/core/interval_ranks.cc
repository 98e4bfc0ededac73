#include "src/core/interval_ranks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace stowage {

IntervalRanks RankIntervals(absl::Span<const ByteRecord> records) {
  IntervalRanks ranks;
  std::vector<TaskId>& tasks = ranks.tasks;
  tasks.reserve(records.size());
  for (const ByteRecord& record : records) tasks.push_back(record.first_task);
  if (!std::is_sorted(tasks.begin(), tasks.end())) {
    std::sort(tasks.begin(), tasks.end());
  }
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  ranks.intervals.reserve(records.size());
  for (const ByteRecord& record : records) {
    const auto begin =
        std::lower_bound(tasks.begin(), tasks.end(), record.first_task);
    const auto end = std::upper_bound(begin, tasks.end(), record.last_task);
    ranks.intervals.push_back({static_cast<uint32_t>(begin - tasks.begin()),
                               static_cast<uint32_t>(end - tasks.begin())});
  }
  return ranks;
}

}  // namespace stowage
