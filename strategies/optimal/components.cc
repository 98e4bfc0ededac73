#include "optimal/components.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "optimal/packing.h"
#include "src/core/interval_ranks.h"
#include "stowage/profile.h"

namespace stowage::optimal {

size_t UnitOf(absl::Span<const ByteRecord> records,
              const Alignments& alignments) {
  size_t unit = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].tensor_size == 0) continue;
    unit = std::gcd(unit, records[i].tensor_size);
    if (alignments.Of(i) > 1) unit = std::gcd(unit, alignments.Of(i));
  }
  return std::max<size_t>(unit, 1);
}

std::vector<Packing> Components(absl::Span<const ByteRecord> records,
                                const IntervalRanks& ranks,
                                const Alignments& alignments, size_t unit) {
  std::vector<uint32_t> by_begin;
  std::vector<char> is_last(ranks.tasks.size() + 1, 0);
  for (uint32_t i = 0; i < records.size(); ++i) {
    if (records[i].tensor_size == 0) continue;
    by_begin.push_back(i);
    is_last[ranks.intervals[i].end] = 1;
  }
  std::sort(by_begin.begin(), by_begin.end(), [&](uint32_t a, uint32_t b) {
    const StepInterval x = ranks.intervals[a];
    const StepInterval y = ranks.intervals[b];
    return x.begin != y.begin ? x.begin < y.begin : a < b;
  });
  // How many steps before this one are kept: those that something ends behind.
  std::vector<uint32_t> kept(is_last.size() + 1, 0);
  for (size_t s = 1; s < is_last.size(); ++s) {
    kept[s] = kept[s - 1] + static_cast<uint32_t>(is_last[s]);
  }
  std::vector<Packing> packings;
  uint32_t reach = 0;
  uint32_t first_step = 0;
  for (const uint32_t i : by_begin) {
    const StepInterval interval = ranks.intervals[i];
    if (packings.empty() || interval.begin >= reach) {
      packings.emplace_back();
      first_step = kept[interval.begin];
    }
    reach = std::max(reach, interval.end);
    const size_t alignment = std::max<size_t>(alignments.Of(i) / unit, 1);
    Item item;
    item.begin = kept[interval.begin] - first_step;
    item.end = kept[interval.end] - first_step;
    item.size = static_cast<Level>(records[i].tensor_size / unit);
    item.alignment = static_cast<Level>(alignment);
    item.record = i;
    packings.back().steps = std::max(packings.back().steps, item.end);
    packings.back().items.push_back(item);
  }
  return packings;
}

}  // namespace stowage::optimal
