// SPDX-License-Identifier: Apache-2.0
// Provides helpers for the tests of OPTIMAL: requests that are limited by nodes
// instead of time, and records that are few enough for an exhaustive search.
#ifndef STOWAGE_TESTS_STRATEGIES_OPTIMAL_INPUTS_H_
#define STOWAGE_TESTS_STRATEGIES_OPTIMAL_INPUTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/random.h"
#include "stowage/usage_record.h"
#include "tests/support/plan_request.h"

namespace stowage {

using Records = std::vector<ByteRecord>;

inline support::PlanRequest ByNodes(uint64_t nodes) {
  support::PlanRequest options;
  options.strategy = "optimal";
  options.search.node_budget = nodes;
  options.search.threads = 1;
  return options;
}

// Returns up to `max` records with few distinct sizes and few tasks, so there
// are many ties and records often fit tightly.
inline Records TinyRecords(Random* random, size_t max) {
  Records records(1 + random->Below(max));
  const uint64_t tasks = 2 + random->Below(5);
  const uint64_t sizes = 2 + random->Below(9);
  for (ByteRecord& record : records) {
    record.tensor_size = random->Below(12) == 0 ? 0 : 1 + random->Below(sizes);
    record.first_task = random->Below(tasks);
    record.last_task = record.first_task + random->Below(3);
  }
  return records;
}

// Returns the least sum of object sizes. For each record from `index` on, tries
// every existing object and a new one.
inline size_t LeastSum(const Records& records, size_t index,
                       std::vector<std::vector<size_t>>* objects) {
  if (index == records.size()) {
    size_t sum = 0;
    for (const auto& object : *objects) {
      size_t size = 0;
      for (const size_t i : object) {
        size = std::max(size, records[i].tensor_size);
      }
      sum += size;
    }
    return sum;
  }
  objects->push_back({index});
  size_t least = LeastSum(records, index + 1, objects);
  objects->pop_back();
  for (size_t k = 0; k < objects->size(); ++k) {
    const auto& object = (*objects)[k];
    if (std::any_of(object.begin(), object.end(), [&](size_t i) {
          return Conflict(records[i], records[index]);
        })) {
      continue;
    }
    (*objects)[k].push_back(index);
    least = std::min(least, LeastSum(records, index + 1, objects));
    (*objects)[k].pop_back();
  }
  return least;
}

inline size_t LeastSumOfObjects(const Records& records) {
  std::vector<std::vector<size_t>> objects;
  return LeastSum(records, 0, &objects);
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_STRATEGIES_OPTIMAL_INPUTS_H_
