#include <iostream>
#include <vector>

#include "stowage/stowage.h"

int main() {
  // Size in bytes, first task, last task: both ends are inclusive.
  const std::vector<stowage::TensorUsageRecord<size_t>> records = {
      {4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  stowage::PlanOptions options;
  options.alignments = 64;
  const auto plan = stowage::Plan(records, options);
  if (!plan.ok()) {
    std::cerr << plan.status() << "\n";
    return 1;
  }
  for (const size_t offset : plan->offsets.offsets) std::cout << offset << " ";
  std::cout << "in an arena of " << plan->total_size
            << " bytes: " << stowage::PlanStatusName(plan->status) << "\n";
}
