// SPDX-License-Identifier: Apache-2.0
// Reads problems whose sizes are computed from parameters. With --at, the
// parameters get values, and the input becomes an ordinary problem. Without
// --at, the parameters remain open, for the verbs that make plans, verify plans
// or compute bounds for all values.
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

// A problem with parameters, and the plan in the same file.
struct DynamicInput {
  DynamicFile file;
  absl::optional<DynamicProblem> problem;
  // The error if the problem was rejected, or OK if no problem was rejected.
  absl::Status status;

  bool is_read() const { return problem.has_value(); }
};

// Returns a function that explains why an option has no effect on a model
// without parameters.
WhyIdle WhyNoParameters(const InputOptions* options);

// Adds --at.
void AddAt(CLI::App* verb, InputOptions* options);

// Returns the file format of problems with parameters. If --at is given, the
// format reads the problem at these values. Without --at, the format stores the
// problem in `input` and returns an empty file; if `input` is null, a problem
// with parameters is then an error.
FileFormat DynamicInputFormat(const InputOptions& options, DynamicInput* input);

// Adds the number of records, and the parameters or scenarios on which the
// sizes depend, such as "batch 1 to 32".
void AddDynamicProblem(const DynamicProblem& problem, Answer* answer);

// Returns the values of the parameters. People read "batch=8,seq=128", and
// programs read an object. If there are scenarios, both read the name of the
// scenario.
Value AtValue(const DynamicProblem& problem, const ParameterValues& values);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DYNAMIC_INPUTS_H_
