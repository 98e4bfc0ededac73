// SPDX-License-Identifier: Apache-2.0
// Verifies two plans with the smallest amalgamation, which contains no planner.
#include <cstddef>
#include <cstdio>
#include <vector>

#include "stowage.h"

int main() {
  const std::vector<stowage::TensorUsageRecord<size_t>> records = {
      {4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  for (const size_t last : {size_t{0}, size_t{4096}}) {
    stowage::OffsetsAssignment plan;
    plan.offsets = {0, 4096, last};
    plan.total_size = 8192;
    const auto violation =
        stowage::FindViolation(records, plan, stowage::Alignments(size_t{64}));
    std::printf("%s\n",
                violation ? stowage::Describe(*violation).c_str() : "safe");
  }
  std::printf("%zu\n", stowage::OffsetsLowerBound(records));
}
