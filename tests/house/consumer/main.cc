// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "stowage/stowage.h"

int main() {
  stowage::ProblemSpec spec;
  // Size in bytes, first task, last task: both ends are inclusive.
  spec.records = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  spec.alignment = 64;
  const auto problem = stowage::Problem::Create(spec);
  if (!problem.ok()) {
    std::cerr << problem.status() << "\n";
    return 1;
  }
  const auto solution = stowage::Solve(*problem, "skyline");
  if (!solution.ok()) {
    std::cerr << solution.status() << "\n";
    return 1;
  }
  for (const size_t offset : solution->offsets()->offsets) {
    std::cout << offset << " ";
  }
  std::cout << "in an arena of " << solution->total_size
            << " bytes: " << stowage::SolutionStatusName(solution->status)
            << "\n";
}
