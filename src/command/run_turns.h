// SPDX-License-Identifier: Apache-2.0
// Implements `stowage run` for a signature that the user names instead of a
// subgraph, and for several signatures or models that run one after another in
// one arena. Each of these signatures or models is called a turn.
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

// The models after the first one.
using OtherModels = std::vector<std::unique_ptr<const Model>>;

// Returns the model of `follower`, which is a subgraph that runs after the
// first one. `first` is the model of the first subgraph.
const Model& ModelOf(const harness::Follower& follower, const Model& first);

// Returns InvalidArgument if an option contradicts --signature or cannot be
// used with several models.
absl::Status CheckTurns(const RunArgs& args);

// Finds the subgraphs that run, and stores them in `args`. The subgraph of the
// first signature runs first, and the subgraphs of the other signatures and
// models are its followers. If there are several turns, also stores their
// names. Errors:
//
// - NotFound if a signature does not exist, with a message that lists the
//   signatures;
// - those of Model::Read;
// - InvalidArgument if --hand or --state-io is wrong, if two signatures have
//   the same subgraph, or if an --input belongs to no turn.
absl::Status EnterTurns(const Model& model, RunArgs* args, OtherModels* others);

// Reads the files of --input. Errors: those of ReadInputFiles.
absl::Status ReadInputs(const RunArgs& args, const Model& model,
                        harness::RunOptions* options);

// Adds the results of several turns.
void AddTurns(const RunReport& report, Answer* answer);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_RUN_TURNS_H_
