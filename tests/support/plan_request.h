// SPDX-License-Identifier: Apache-2.0
// Holds the parts of a problem and of a request to a strategy in one struct,
// for tests that vary both.
#ifndef STOWAGE_TESTS_SUPPORT_PLAN_REQUEST_H_
#define STOWAGE_TESTS_SUPPORT_PLAN_REQUEST_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/planner.h"
#include "stowage/profile.h"

namespace stowage::support {

struct PlanRequest {
  std::string strategy = "greedy_best";
  PlanKind kind = PlanKind::kOffsets;
  Alignments alignments;  // if it views a list, the list must outlive the call
  const UsageGraph* reallocation_graph = nullptr;  // not owned
  Span<const optional<size_t>> fixed_offsets;
  optional<size_t> capacity;
  SolveOptions search;
};

inline StatusOr<Problem> ProblemOf(Span<const ByteRecord> records,
                                   const PlanRequest& request) {
  ProblemSpec spec;
  spec.kind = request.kind;
  spec.records = std::vector<ByteRecord>(records.begin(), records.end());
  for (size_t i = 0; i < records.size(); ++i) {
    spec.alignments.push_back(request.alignments.Of(i));
  }
  if (request.reallocation_graph != nullptr) {
    spec.reallocation_graph = *request.reallocation_graph;
  }
  spec.fixed_offsets.assign(request.fixed_offsets.begin(),
                            request.fixed_offsets.end());
  spec.capacity = request.capacity;
  return Problem::Create(std::move(spec));
}

inline StatusOr<Solution> Plan(Span<const ByteRecord> records,
                               const PlanRequest& request = {}) {
  const StatusOr<Problem> problem = ProblemOf(records, request);
  if (!problem.ok()) return problem.status();
  return Solve(*problem, request.strategy, request.search);
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_PLAN_REQUEST_H_
