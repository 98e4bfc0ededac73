// SPDX-License-Identifier: Apache-2.0
// Plans with stowage::core alone: what needs another library is refused with
// the name of that library.
#include <iostream>
#include <vector>

#include "stowage/planner.h"
#include "stowage/strategy.h"

int main() {
  const std::vector<stowage::TensorUsageRecord<size_t>> records = {
      {4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  for (const stowage::Strategy* strategy : stowage::AllStrategies()) {
    stowage::PlanOptions options;
    options.strategy = strategy->info().name;
    const auto plan = stowage::Plan(records, options);
    if (!plan.ok()) {
      std::cerr << plan.status() << "\n";
      return 1;
    }
    std::cout << options.strategy << " " << plan->total_size << "\n";
  }
  // Shared objects by the search, which uses MINCOSTFLOW where that is linked.
  stowage::ObjectsAssignment<size_t> objects;
  stowage::PlanOptions options;
  options.strategy = "optimal";
  options.kind = stowage::PlanKind::kObjects;
  std::cout << stowage::Plan(records, options).status() << "\n";
  std::cout << stowage::AssignObjectsToTensors(
                   records, stowage::MemoryStrategy::MINCOSTFLOW, &objects)
            << "\n";
}
