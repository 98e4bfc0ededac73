// SPDX-License-Identifier: Apache-2.0
// `stowage run` of signatures: one in place of a subgraph, or several one after
// the other in one arena.
#ifndef STOWAGE_SRC_COMMAND_RUN_SIGNATURES_H_
#define STOWAGE_SRC_COMMAND_RUN_SIGNATURES_H_

#include "absl/status/status.h"
#include "src/command/answer.h"
#include "src/command/run_options.h"
#include "src/command/run_report.h"
#include "stowage/harness/run_model.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {

// Returns InvalidArgument if options contradict --signature.
absl::Status CheckSignatures(const RunArgs& args);

// Makes the subgraphs of the signatures, if any are given, those that run.
// Error: NotFound, listing the signatures.
absl::Status EnterSignatures(const Model& model, RunArgs* args);

// Reads the files of --input. Errors: those of ReadInputFiles.
absl::Status ReadInputs(const RunArgs& args, const Model& model,
                        harness::RunOptions* options);

// Adds the results of several signatures.
void AddSignatures(const RunReport& report, Answer* answer);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_RUN_SIGNATURES_H_
