// SPDX-License-Identifier: Apache-2.0
// Lifetimes that are wrong: plans of models that would be safe if tensors lived
// as long as intended. Running the model under such a plan shows it.
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
#include "stowage/trace.h"
#include "stowage/usage_record.h"
#include "tests/harness/byte_models.h"

namespace stowage::testing {

struct LifetimesMutant {
  std::string name;
  std::string bug;
  // What it makes of a graph; PlanLifetimes is the sound one.
  std::function<std::vector<Lifetime>(const ArenaGraph&)> lifetimes;
};

std::vector<LifetimesMutant> LifetimesMutants();

// Operators that claim to work in place and do not.
struct OperatorsMutant {
  std::string name;
  std::string bug;
  harness::OperatorResolver operators;
};

// Of ByteOperators.
std::vector<OperatorsMutant> OperatorsMutants();

// A small model of ByteOperators: tensors that are read often, late or never,
// more than one output, in-place chains, temporaries, variables. The same for
// the same seed.
harness::ByteModel RandomByteModel(uint64_t seed);

// The records of the model's trace, but that variables live only from the first
// operator that reads them to the last.
std::vector<TensorUsageRecord<size_t>> WithVariablesCut(
    const harness::ByteModel& model, const Trace& trace);

// Plans for tensors that live as long as `lifetimes` says. Who has no memory by
// them is at offset 0.
std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)>
PlannerWith(const ArenaGraph& graph, const std::vector<Lifetime>& lifetimes);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_LIFETIMES_H_
