// SPDX-License-Identifier: Apache-2.0
// Runs stowage diff on two dumps, and reports the result as text and JSON.
#ifndef STOWAGE_SRC_COMMAND_DIFF_DUMPS_H_
#define STOWAGE_SRC_COMMAND_DIFF_DUMPS_H_

#include <string>

#include "absl/types/span.h"
#include "src/command/options.h"
#include "src/command/verb.h"
#include "stowage/harness/compare_dumps.h"

namespace stowage::cli {

struct DumpDiffArgs {
  std::string first;
  std::string second;
  double tolerance = 0;
  Format format = Format::kText;
};

Outcome RunDumpDiff(const DumpDiffArgs& args);

std::string DiffText(absl::Span<const harness::TensorDifference> differences);
std::string DiffJson(const DumpDiffArgs& args,
                     absl::Span<const harness::TensorDifference> differences);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DIFF_DUMPS_H_
