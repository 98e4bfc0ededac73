// SPDX-License-Identifier: Apache-2.0
// The report of stowage diff as text and JSON.
#ifndef STOWAGE_SRC_CLI_DIFF_REPORT_H_
#define STOWAGE_SRC_CLI_DIFF_REPORT_H_

#include <string>

#include "absl/types/span.h"
#include "src/cli/options.h"
#include "stowage/harness/compare_dumps.h"

namespace stowage::cli {

struct DiffArgs {
  std::string first;
  std::string second;
  double tolerance = 0;
  Format format = Format::kText;
};

std::string DiffText(absl::Span<const harness::TensorDifference> differences);
std::string DiffJson(const DiffArgs& args,
                     absl::Span<const harness::TensorDifference> differences);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_CLI_DIFF_REPORT_H_
