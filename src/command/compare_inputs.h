// SPDX-License-Identifier: Apache-2.0
// Reads the inputs of `stowage compare`, and compares strategies on each input.
#ifndef STOWAGE_SRC_COMMAND_COMPARE_INPUTS_H_
#define STOWAGE_SRC_COMMAND_COMPARE_INPUTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/compare.h"
#include "src/command/inputs.h"
#include "src/command/progress.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::cli {

struct KindToCompare {
  PlanKind kind = PlanKind::kOffsets;
  std::vector<std::string> strategies;
  // True if a row for the plan of the runtime follows the rows of the
  // strategies.
  bool has_recorded = false;

  size_t rows() const { return strategies.size() + (has_recorded ? 1 : 0); }
};

// The name of the row for a recorded plan, which was made by the runtime.
constexpr absl::string_view kRecordedRow = "recorded";

// Returns whether an input is a recording with a plan of this kind. Returns
// false for a plan file, because its plan was made by this program rather than
// by a runtime.
bool HasRecordedPlan(const NamedFile& input, PlanKind kind);

// Reads all files of `inputs` (see ExpandInput), and appends the files that
// cannot be read to `failed`.
std::vector<NamedFile> ReadAll(absl::Span<const std::string> inputs,
                               InputReader* reader,
                               std::vector<FailedInput>* failed);

// Compares the strategies on an input and adds the rows of the input. Leaves
// out the row of a search that was interrupted. If no strategy supports the
// problem, the rows contain the reasons. If an error is returned, no rows are
// added. Errors: those of Problem::Create and CompareStrategies, with the name
// of the input in the message.
absl::Status CompareInput(const NamedFile& input,
                          absl::optional<size_t> alignment,
                          absl::Span<const KindToCompare> kinds,
                          const SolveOptions& solve, Progress* progress,
                          ComparedRows* rows);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_INPUTS_H_
