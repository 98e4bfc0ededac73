// SPDX-License-Identifier: Apache-2.0
#include "src/construct/records_by_begin.h"

#include <cstdint>
#include <vector>

#include "src/base/radix_sort.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/optional.h"
#include "stowage/problem.h"

namespace stowage {

optional<std::vector<uint32_t>> RecordsByBegin(const Problem& problem,
                                               const StopSignal& stop) {
  const std::vector<StepInterval>& intervals = RanksOf(problem).intervals;
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < problem.size(); ++i) {
    if (problem.records()[i].tensor_size > 0) order.push_back(i);
  }
  RecordSort sort(order, stop);
  sort.By([&](uint32_t i) { return uint64_t{intervals[i].begin}; });
  if (!sort.is_complete()) return nullopt;
  return sort.Records();
}

}  // namespace stowage
