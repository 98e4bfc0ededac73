// SPDX-License-Identifier: Apache-2.0
// Plans three tensors, and then requests a constraint. The program cannot honor
// the constraint, because it does not link the code for it.
#include <cstdio>
#include <string>
#include <utility>

#ifdef STOWAGE_AMALGAMATED
#include "stowage.h"
#else
#include "stowage/planner.h"
#endif

#ifndef STRATEGY
#define STRATEGY "skyline"
#endif

namespace {

void PrintError(const stowage::Status& status) {
  std::printf("%s\n", status.ToString().c_str());
}

}  // namespace

int main() {
  stowage::ProblemSpec spec;
  spec.records = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  const auto problem = stowage::Problem::Create(spec);
  if (!problem.ok()) {
    PrintError(problem.status());
    return 1;
  }
  const auto solution = stowage::Solve(*problem, STRATEGY);
  if (!solution.ok()) {
    PrintError(solution.status());
    return 1;
  }
  for (const size_t offset : solution->offsets()->offsets) {
    std::printf("%zu ", offset);
  }
  std::printf("in %zu\n", solution->total_size);
  spec.constraints.apart = {{0, 2}};
  PrintError(stowage::Problem::Create(std::move(spec)).status());
}
