// SPDX-License-Identifier: Apache-2.0
// Defines the two functions that the runtime exports.
#include <cstddef>

#include "stowage/registry.h"
#include "stowage/stowage.h"

// Plans three tensors with the named strategy. Returns the size of their arena
// in bytes, or 0 if there is no plan.
extern "C" __attribute__((visibility("default"))) size_t guest_plan(
    const char* strategy) {
  stowage::ProblemSpec spec;
  spec.records = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  const auto problem = stowage::Problem::Create(spec);
  if (!problem.ok()) return 0;
  const auto solution = stowage::Solve(*problem, strategy);
  return solution.ok() ? solution->total_size : 0;
}

// Writes the names of all strategies, each followed by a space, and returns the
// length of the text.
extern "C" __attribute__((visibility("default"))) size_t guest_strategies(
    char* names, size_t size) {
  size_t length = 0;
  for (const stowage::Strategy* strategy : stowage::AllStrategies()) {
    for (const char c : strategy->info().name + " ") {
      if (length + 1 < size) names[length++] = c;
    }
  }
  names[length] = '\0';
  return length;
}
