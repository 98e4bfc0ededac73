// SPDX-License-Identifier: Apache-2.0
// Problems whose sizes follow from parameters, as inputs: at one value, they
// are as any other problem; without --at, the verbs that plan, verify and bound
// for all values keep them as they are.
#ifndef STOWAGE_SRC_COMMAND_DYNAMIC_INPUTS_H_
#define STOWAGE_SRC_COMMAND_DYNAMIC_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/option_limits.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/io/problem_file.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stowage::cli {

class Answer;
struct InputOptions;
struct Value;

// A problem with parameters that was read, and the plan in its file.
struct DynamicInput {
  DynamicFile file;
  absl::optional<DynamicProblem> problem;
  // The error of the problem, if it was not read for it.
  absl::Status status;

  bool is_read() const { return problem.has_value(); }
};

// Returns a function that says of models without parameters that an option has
// no effect on them.
WhyIdle WhyNoParameters(const InputOptions* options);

// Adds --at.
void AddAt(CLI::App* verb, InputOptions* options);

// Returns the format of problems with parameters. They are read at the value of
// --at if it is given. Otherwise they are kept in `input`, and the file that is
// returned is empty; if `input` is null, they are an error.
FileFormat DynamicInputFormat(const InputOptions& options, DynamicInput* input);

// Adds the number of records and what sizes depend on: "batch 1 to 32".
void AddDynamicProblem(const DynamicProblem& problem, Answer* answer);

// Returns a value for people and programs: "batch=8,seq=128" and an object.
Value AtValue(const DynamicProblem& problem, const ParameterValues& values);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DYNAMIC_INPUTS_H_
