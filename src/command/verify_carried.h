// SPDX-License-Identifier: Apache-2.0
// Implements `stowage verify FILE`, which checks the plan in a file against the
// problem in the same file. If the file is a recording, the plan is the one
// that the recorded runtime used.
#ifndef STOWAGE_SRC_COMMAND_VERIFY_CARRIED_H_
#define STOWAGE_SRC_COMMAND_VERIFY_CARRIED_H_

#include <cstddef>
#include <string>

#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/pools.h"
#include "src/command/verb.h"

namespace stowage::cli {

struct CarriedArgs {
  const std::string& path;
  absl::optional<size_t> alignment;
  const PoolArgs& pools;
  Format format;
  const InputOptions& input;
};

// Checks the plans of all parts of the file. The exit code is 1 if one of them
// is not safe, and 3 if the file contains no plan.
Outcome VerifyCarried(const CarriedArgs& args);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_VERIFY_CARRIED_H_
