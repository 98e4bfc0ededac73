// SPDX-License-Identifier: Apache-2.0
// Implements `stowage plan`, `verify` and `bounds` for problems whose sizes are
// computed from parameters. The answers hold for all values of the parameters.
#ifndef STOWAGE_SRC_COMMAND_DYNAMIC_PLAN_H_
#define STOWAGE_SRC_COMMAND_DYNAMIC_PLAN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/options.h"
#include "src/command/plan_report.h"
#include "src/command/verb.h"
#include "stowage/io/problem_file.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stowage::cli {

// Adds --aim and --buckets.
void AddDynamicPlanOptions(CLI::App* verb, PlanArgs* args);

// Returns InvalidArgument for the first option of the command line that has no
// effect on a plan for all values.
absl::Status CheckFitsAllValues(const CLI::App& verb,
                                absl::Span<const char* const> options);

// Returns the problem that was read from `path`. If `alignment` or `capacity`
// is given, it replaces that of the problem. Errors: those of
// DynamicProblem::Create, with the path in the message.
absl::StatusOr<DynamicProblem> ProblemAsAsked(
    const std::string& path, const DynamicInput& input,
    const absl::optional<size_t>& alignment,
    const absl::optional<size_t>& capacity = absl::nullopt);

// Plans for all values, and writes the plan file.
Outcome PlanAllValues(const CLI::App& verb, const PlanArgs& args,
                      const DynamicInput& input);

// Delivers the plan that results from the order in a file: the offsets at the
// values of --at.
Outcome DeliverStack(const CLI::App& verb, PlanArgs args,
                     const ProblemFile& file);

// Returns the outcome for an input that could not be read. The exit code is 5
// if a problem has too many values for a proof, and otherwise the code for bad
// input.
Outcome NotRead(const absl::Status& status, const DynamicInput& input);

// A plan for a problem with parameters. The plan and the problem may be in the
// same file.
struct DynamicPlanInput {
  std::string path;
  // One of these pointers is set: `dynamic` for a file with parameters, or
  // `fixed` for a plan in which each record has the same place for all values.
  const DynamicInput* dynamic = nullptr;
  const ProblemFile* fixed = nullptr;
};

// Verifies a plan for all values.
Outcome VerifyAllValues(const std::string& problem_path,
                        const DynamicProblem& problem,
                        const DynamicPlanInput& plan, Format format);

// Returns an answer with the lower bounds at a sample of the parameter values
// (DynamicProblem::SampleValues), and the largest of these bounds.
Outcome BoundAllValues(const std::string& path, const DynamicProblem& problem,
                       Format format);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DYNAMIC_PLAN_H_
