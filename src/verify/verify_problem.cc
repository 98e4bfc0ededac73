// SPDX-License-Identifier: Apache-2.0
// Implements the functions of verify.h that take a Problem. For those that take
// only records, see verify.cc.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "src/model/constraint_support.h"
#include "src/verify/describe_in_pools.h"
#include "stowage/base/optional.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

// Returns a violation if a plan names pools although the problem has none.
optional<Violation> FindNeedlessPools(const Problem& problem,
                                      const OffsetsAssignment& assignment) {
  const Constraints* const constraints = problem.constraints();
  if (assignment.pools.empty() ||
      (constraints != nullptr && !constraints->pools.empty())) {
    return nullopt;
  }
  Violation violation;
  violation.kind = Violation::Kind::kWrongPool;
  violation.pool = assignment.pools[0];
  return violation;
}

// Returns a violation for the first record that is not at its fixed offset.
// Requires that every record is inside the arena.
optional<Violation> FindMoved(const Problem& problem,
                              const OffsetsAssignment& assignment) {
  for (size_t i = 0; problem.has_fixed_offsets() && i < problem.size(); ++i) {
    const optional<size_t> fixed = problem.fixed_offset(i);
    if (!fixed || *fixed == assignment.offsets[i]) continue;
    Violation violation;
    violation.kind = Violation::Kind::kNotAtFixedOffset;
    violation.first_tensor = i;
    violation.begin = assignment.offsets[i];
    violation.end = violation.begin + problem.records()[i].tensor_size;
    violation.expected = *fixed;
    return violation;
  }
  return nullopt;
}

}  // namespace

std::string Describe(const Violation& violation, const Problem& problem) {
  std::vector<std::string> pools;
  if (problem.constraints() != nullptr) {
    for (const MemoryPool& pool : problem.constraints()->pools) {
      pools.push_back(pool.name);
    }
  }
  return DescribeInPools(violation, problem.names(), pools);
}

optional<Violation> FindViolation(const Problem& problem,
                                  const OffsetsAssignment& assignment) {
  if (auto violation = FindNeedlessPools(problem, assignment)) {
    return violation;
  }
  if (problem.constraints() != nullptr) {
    return LinkedConstraints()->find_violation(problem, assignment);
  }
  if (auto violation =
          FindViolation(problem.records(), assignment, problem.alignments())) {
    return violation;
  }
  return FindMoved(problem, assignment);
}

optional<Violation> FindBeyondCapacity(const Problem& problem,
                                       const OffsetsAssignment& assignment) {
  const optional<size_t> capacity = problem.capacity();
  for (size_t i = 0; capacity && i < problem.size(); ++i) {
    const size_t begin = assignment.offsets[i];
    const optional<size_t> end =
        CheckedAdd(begin, problem.records()[i].tensor_size);
    if (end && *end <= *capacity) continue;
    Violation violation;
    violation.kind = Violation::Kind::kBeyondCapacity;
    violation.first_tensor = i;
    violation.begin = begin;
    violation.end = end.value_or(std::numeric_limits<size_t>::max());
    violation.expected = *capacity;
    return violation;
  }
  return nullopt;
}

optional<Violation> FindBeyondCapacity(
    const Problem& problem, const ObjectsAssignment<size_t>& assignment) {
  size_t begin = 0;
  for (size_t object = 0;
       problem.capacity() && object < assignment.object_sizes.size();
       ++object) {
    const optional<size_t> end =
        CheckedAdd(begin, assignment.object_sizes[object]);
    if (end && *end <= *problem.capacity()) {
      begin = *end;
      continue;
    }
    const std::vector<size_t>& ids = assignment.object_ids;
    Violation violation;
    violation.kind = Violation::Kind::kBeyondCapacity;
    violation.first_tensor = static_cast<size_t>(
        std::find(ids.begin(), ids.end(), object) - ids.begin());
    violation.object = object;
    violation.begin = begin;
    violation.end = end.value_or(std::numeric_limits<size_t>::max());
    violation.expected = *problem.capacity();
    return violation;
  }
  return nullopt;
}

}  // namespace stowage
