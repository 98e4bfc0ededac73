// SPDX-License-Identifier: Apache-2.0
#include "optimal/exact/components.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "optimal/exact/packing.h"
#include "src/base/sort_until.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/records_by_begin.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"

namespace stowage::optimal {
namespace {

// Returns, for each step, the number of kept steps before the step. A step is
// kept iff it is the last step of some record.
std::vector<uint32_t> CountKeptSteps(const Problem& problem,
                                     Span<const uint32_t> records) {
  std::vector<char> is_last(RanksOf(problem).tasks.size() + 1, 0);
  for (const uint32_t i : records) {
    is_last[RanksOf(problem).intervals[i].end] = 1;
  }
  std::vector<uint32_t> kept(is_last.size() + 1, 0);
  for (size_t s = 1; s < is_last.size(); ++s) {
    kept[s] = kept[s - 1] + static_cast<uint32_t>(is_last[s]);
  }
  return kept;
}

// Returns the lifetime in tasks, capped such that the product of a lifetime and
// a size does not overflow.
uint64_t LifetimeOf(const ByteRecord& record) {
  constexpr uint64_t kForever = uint64_t{1} << 48;
  const auto last = static_cast<uint64_t>(record.last_task);
  return std::min(last - static_cast<uint64_t>(record.first_task), kForever) +
         1;
}

// Returns the item of a record. `kept` is the result of CountKeptSteps. The
// steps of the item are indices of kept steps, relative to `first_step`.
Item ItemOf(const Problem& problem, size_t unit,
            const std::vector<uint32_t>& kept, uint32_t first_step,
            uint32_t i) {
  const StepInterval interval = RanksOf(problem).intervals[i];
  Item item;
  item.begin = kept[interval.begin] - first_step;
  item.end = kept[interval.end] - first_step;
  item.size = static_cast<Level>(problem.records()[i].tensor_size / unit);
  item.alignment = static_cast<Level>(
      std::max<size_t>(problem.alignments().Of(i) / unit, 1));
  item.record = i;
  item.lifetime = LifetimeOf(problem.records()[i]);
  if (const optional<size_t> offset = problem.fixed_offset(i)) {
    item.fixed_level = static_cast<Level>(*offset / unit);
  }
  return item;
}

void AddItem(const Item& item, Packing* packing) {
  packing->steps = std::max(packing->steps, item.end);
  packing->items.push_back(item);
}

}  // namespace

size_t UnitOf(const Problem& problem) {
  size_t unit = 0;
  for (size_t i = 0; i < problem.size(); ++i) {
    if (problem.records()[i].tensor_size == 0) continue;
    unit = std::gcd(unit, problem.records()[i].tensor_size);
    const size_t alignment = problem.alignments().Of(i);
    if (alignment > 1) unit = std::gcd(unit, alignment);
    unit = std::gcd(unit, problem.fixed_offset(i).value_or(0));
  }
  return std::max<size_t>(unit, 1);
}

bool FitsLevels(const Problem& problem, size_t unit) {
  const auto max = static_cast<size_t>(kMaxLevel) - 1;
  size_t sum = 0;
  for (size_t i = 0; i < problem.size(); ++i) {
    const size_t offset = problem.fixed_offset(i).value_or(0);
    sum = std::max(sum, offset / unit);
  }
  if (sum > max) return false;
  for (size_t i = 0; i < problem.size(); ++i) {
    const size_t padded = problem.records()[i].tensor_size / unit +
                          problem.alignments().Of(i) / unit;
    if (padded > max - sum) return false;
    sum += padded;
  }
  return true;
}

optional<std::vector<Packing>> Components(const Problem& problem, size_t unit,
                                          const StopSignal& stop) {
  const auto by_begin = RecordsByBegin(problem, stop);
  if (!by_begin) return nullopt;
  const std::vector<uint32_t> kept = CountKeptSteps(problem, *by_begin);
  std::vector<Packing> packings;
  uint32_t reach = 0;
  uint32_t first_step = 0;
  size_t made = 0;
  for (const uint32_t i : *by_begin) {
    if (made++ % kSortedAtOnce == 0 && stop.IsSet()) return nullopt;
    const StepInterval interval = RanksOf(problem).intervals[i];
    if (packings.empty() || interval.begin >= reach) {
      packings.emplace_back();
      first_step = kept[interval.begin];
    }
    reach = std::max(reach, interval.end);
    AddItem(ItemOf(problem, unit, kept, first_step, i), &packings.back());
  }
  return packings;
}

Packing PackingOf(const Problem& problem, size_t unit,
                  Span<const uint32_t> records) {
  const std::vector<uint32_t> kept = CountKeptSteps(problem, records);
  Packing packing;
  for (const uint32_t i : records) {
    AddItem(ItemOf(problem, unit, kept, /*first_step=*/0, i), &packing);
  }
  return packing;
}

}  // namespace stowage::optimal
