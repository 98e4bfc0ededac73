// SPDX-License-Identifier: Apache-2.0
#include "tests/bounds/costly_problems.h"

#include <algorithm>
#include <cstddef>

#include "stowage/constraints.h"

namespace stowage {

ProblemSpec RandomCostlySpec(Random* random) {
  ProblemSpec spec;
  const size_t count = 3 + random->Below(4);
  const bool is_uniform = random->Below(2) == 0;
  const size_t align = size_t{1} << random->Below(2);
  size_t largest = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t size = is_uniform ? 3 : 1 + random->Below(5);
    const auto first = static_cast<TaskId>(random->Below(6));
    spec.records.emplace_back(size, first,
                              first + static_cast<TaskId>(random->Below(2)));
    spec.alignments.push_back(random->Below(4) == 0 ? align : 1);
    spec.fixed_offsets.emplace_back();
    largest = std::max(largest, size);
    for (size_t j = 0; j < i; ++j) {
      if (random->Below(4) > 0) {
        spec.constraints.prefer_apart.push_back({j, i, 1 + random->Below(3)});
      } else if (random->Below(4) == 0) {
        spec.constraints.apart.push_back({j, i});
      }
    }
  }
  if (random->Below(4) == 0) spec.fixed_offsets[0] = 2 * random->Below(3);
  if (random->Below(4) == 0) {
    const size_t begin = random->Below(4);
    spec.constraints.holes = {{begin, begin + 1 + random->Below(2), 0,
                               static_cast<TaskId>(random->Below(7)), 0}};
  }
  spec.capacity = largest + random->Below(7);
  return spec;
}

}  // namespace stowage
