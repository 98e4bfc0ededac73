// SPDX-License-Identifier: Apache-2.0
// Implements `stowage verify MODEL PLAN --sharing any`, which checks a plan for
// all tensors of a model by following the values in memory. Tensors may share
// memory in any way, as long as every read finds the value that was written.
#ifndef STOWAGE_SRC_COMMAND_VERIFY_BY_VALUE_H_
#define STOWAGE_SRC_COMMAND_VERIFY_BY_VALUE_H_

#include <string>

#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/verb.h"

namespace stowage::cli {

struct ByValueArgs {
  const std::string& model_path;
  const std::string& plan_path;
  Format format;
  const InputOptions& input;
};

// Checks the plan. The exit code is 1 if a read would not find the value that
// was written.
Outcome VerifyByValue(const ByValueArgs& args);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_VERIFY_BY_VALUE_H_
