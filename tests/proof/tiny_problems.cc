// SPDX-License-Identifier: Apache-2.0
#include "tests/proof/tiny_problems.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "stowage/base/random.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Returns whether the remaining records fit the capacity if the first records
// are at `offsets`.
bool Fits(const Problem& problem, size_t capacity,
          std::vector<size_t>* offsets) {
  const size_t i = offsets->size();
  if (i == problem.size()) return true;
  const ByteRecord& record = problem.records()[i];
  const absl::optional<size_t> fixed = problem.fixed_offset(i);
  const size_t step = problem.alignments().Of(i);
  for (size_t offset = fixed.value_or(0);
       offset + record.tensor_size <= capacity; offset += step) {
    bool is_free = true;
    for (size_t j = 0; j < i && record.tensor_size > 0; ++j) {
      const ByteRecord& other = problem.records()[j];
      is_free = is_free && (other.tensor_size == 0 ||
                            other.last_task < record.first_task ||
                            record.last_task < other.first_task ||
                            (*offsets)[j] + other.tensor_size <= offset ||
                            offset + record.tensor_size <= (*offsets)[j]);
    }
    offsets->push_back(offset);
    if (is_free && Fits(problem, capacity, offsets)) return true;
    offsets->pop_back();
    if (fixed) break;
  }
  return false;
}

}  // namespace

ProblemSpec RandomSpec(Random* random, size_t max) {
  const size_t count = 2 + random->Below(max - 1);
  const size_t tasks = 2 + random->Below(5);
  const size_t sizes = 2 + random->Below(5);
  ProblemSpec spec;
  std::vector<TensorUsageRecord<size_t>> records;
  for (size_t i = 0; i < count; ++i) {
    const size_t first = random->Below(tasks);
    const size_t last = std::min(tasks - 1, first + random->Below(4));
    records.emplace_back(random->Below(sizes) + (i > 0 ? 1 : 0), first, last);
    spec.alignments.push_back(size_t{1} << random->Below(3));
    spec.fixed_offsets.emplace_back();
    spec.names.push_back(absl::StrCat("t", i));
  }
  // Only the first record may be fixed, so no two fixed records overlap.
  if (random->Below(3) == 0) {
    spec.fixed_offsets[0] = spec.alignments[0] * random->Below(3);
  }
  spec.records = std::move(records);
  return spec;
}

bool Fits(const Problem& problem, size_t capacity) {
  std::vector<size_t> offsets;
  return Fits(problem, capacity, &offsets);
}

}  // namespace stowage
