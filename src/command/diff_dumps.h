// SPDX-License-Identifier: Apache-2.0
// Runs stowage diff on two dumps.
#ifndef STOWAGE_SRC_COMMAND_DIFF_DUMPS_H_
#define STOWAGE_SRC_COMMAND_DIFF_DUMPS_H_

#include <string>

#include "src/command/options.h"
#include "src/command/verb.h"

namespace stowage::cli {

struct DumpDiffArgs {
  std::string first;
  std::string second;
  double tolerance = 0;
  Format format = Format::kText;
};

Outcome RunDumpDiff(const DumpDiffArgs& args);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DIFF_DUMPS_H_
