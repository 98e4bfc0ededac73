// SPDX-License-Identifier: Apache-2.0
// Defines mutants with wrong lifetimes of tensors. A plan made from wrong
// lifetimes may be unsafe, which is detected by running the model under the
// plan.
//
//   for (const LifetimesMutant& mutant : LifetimesMutants()) {
//     CheckOptions options;
//     options.plan.planner = PlannerWith(graph, mutant.lifetimes(graph));
//     ...CheckPlan(model, operators, options)...
//   }
#ifndef STOWAGE_TESTS_TESTING_MUTANTS_LIFETIMES_H_
#define STOWAGE_TESTS_TESTING_MUTANTS_LIFETIMES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/operator.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"
#include "tests/harness/byte_models.h"

namespace stowage::testing {

struct LifetimesMutant {
  std::string name;
  std::string bug;
  // Returns the wrong lifetimes of a graph. The sound lifetimes are those of
  // PlanLifetimes.
  std::function<std::vector<Lifetime>(const ArenaGraph&)> lifetimes;
};

std::vector<LifetimesMutant> LifetimesMutants();

// A mutant of operators that claim to work in place but do not.
struct OperatorsMutant {
  std::string name;
  std::string bug;
  harness::OperatorResolver operators;
};

// Returns the mutants of ByteOperators.
std::vector<OperatorsMutant> OperatorsMutants();

// Returns a small model of ByteOperators. It has tensors that are read often,
// late or never, operators with more than one output, in-place chains,
// temporaries and variables. The model depends only on the seed.
harness::ByteModel RandomByteModel(uint64_t seed);

// Returns the records of `problem`, which must have been made from `model`,
// with the records of variables shortened. The record of a variable begins at
// the first operator that reads the variable and ends at the last one.
std::vector<TensorUsageRecord<size_t>> WithVariablesCut(
    const harness::ByteModel& model, const ProblemSpec& problem);

// Returns a planner that uses `lifetimes` as the lifetimes of tensors. A tensor
// without memory in `lifetimes` gets offset 0.
std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)>
PlannerWith(const ArenaGraph& graph, const std::vector<Lifetime>& lifetimes);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_LIFETIMES_H_
