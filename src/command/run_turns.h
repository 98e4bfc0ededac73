// SPDX-License-Identifier: Apache-2.0
// `stowage run` of a signature in place of a subgraph, and of several
// signatures or models one after the other in one arena.
#ifndef STOWAGE_SRC_COMMAND_RUN_TURNS_H_
#define STOWAGE_SRC_COMMAND_RUN_TURNS_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "src/command/answer.h"
#include "src/command/run_options.h"
#include "src/command/run_report.h"
#include "stowage/harness/run_model.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {

// The models that follow the first one.
using OtherModels = std::vector<std::unique_ptr<const Model>>;

// Returns the model of a follower; `first` is that of the first subgraph.
const Model& ModelOf(const harness::Follower& follower, const Model& first);

// Returns InvalidArgument if options contradict --signature, or several models.
absl::Status CheckTurns(const RunArgs& args);

// Finds what runs: names the turns, if there are several, makes the subgraph of
// the first signature the one that runs, and those of other signatures and
// models its followers. Errors: NotFound, listing the signatures; those of
// Model::Read; InvalidArgument for --hand and --state-io.
absl::Status EnterTurns(const Model& model, RunArgs* args, OtherModels* others);

// Reads the files of --input. Errors: those of ReadInputFiles; InvalidArgument
// for one that belongs to no turn.
absl::Status ReadInputs(const RunArgs& args, const Model& model,
                        harness::RunOptions* options);

// Adds the results of several turns.
void AddTurns(const RunReport& report, Answer* answer);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_RUN_TURNS_H_
