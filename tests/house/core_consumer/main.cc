// SPDX-License-Identifier: Apache-2.0
// Makes plans with stowage::core and no other library. A request that needs
// another library is refused with a message that names the library.
#include <iostream>
#include <vector>

#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"

int main() {
  const std::vector<stowage::TensorUsageRecord<size_t>> records = {
      {4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  stowage::ProblemSpec spec;
  spec.records = records;
  const auto problem = stowage::Problem::Create(spec);
  for (const stowage::Strategy* strategy : stowage::AllStrategies()) {
    const auto solution = stowage::Solve(*problem, *strategy);
    if (!solution.ok()) {
      std::cerr << solution.status() << "\n";
      return 1;
    }
    std::cout << strategy->info().name << " " << solution->total_size << "\n";
  }
  // The search for shared objects uses MINCOSTFLOW if it is linked.
  spec.kind = stowage::PlanKind::kObjects;
  const auto shared =
      stowage::Solve(*stowage::Problem::Create(spec), "optimal");
  std::cout << shared.status() << "\n";
  stowage::ObjectsAssignment<size_t> objects;
  std::cout << stowage::AssignObjectsToTensors(
                   records, stowage::MemoryStrategy::MINCOSTFLOW, &objects)
            << "\n";
}
