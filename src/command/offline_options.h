// SPDX-License-Identifier: Apache-2.0
// Declares the options and helpers that the verbs of `stowage offline` share.
#ifndef STOWAGE_SRC_COMMAND_OFFLINE_OPTIONS_H_
#define STOWAGE_SRC_COMMAND_OFFLINE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/command/answer.h"
#include "src/command/option_limits.h"
#include "src/command/shape_options.h"
#include "src/command/verb.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_check.h"

namespace stowage::cli {

// Adds -o, which is required: a file other than the model, or "-" for standard
// output.
void AddOfflineOutput(CLI::App* verb, const std::string& example,
                      const std::string& help, std::string* output);

// Adds --io-lifetime keep|use, for verbs that plan for a device.
void AddHeldEnds(CLI::App* verb, IoLifetime* lifetime);

// Adds --allow-custom-overlap. The option applies only to models that have
// custom operators and a plan.
void AddCustomOverlap(CLI::App* verb, bool* allow,
                      std::vector<OptionLimit>* limits);

// Returns whether the model contains a plan, even if this plan cannot be read.
bool HasOfflinePlan(const Model& model);

// Returns why an option about the plan has no effect if the model has no plan.
// Otherwise returns an empty string, like every WhyIdle for an option that has
// an effect.
std::string WhyNoPlanInModel(const SeenInput& input);

// Adds a line for each overlap of buffers that custom operators may intend. The
// line states what is known about the overlap.
void SayOverlaps(const Model& model, const OfflineVerdict& verdict,
                 Answer* answer);

// Adds a field with the names of the operators whose memory in the arena is not
// known, if there are any.
void SayNotCounted(const std::vector<std::string>& operators, Answer* answer);

// Reads a model for a device, and adds notes about its open extents. Errors:
// those of NoteOpenShapes. Without given shapes, also those of
// ReadModelStructure, and InvalidArgument if a kernel would write more bytes
// than a tensor declares. With given shapes, also those of Model::Read and
// WithGivenShapes.
absl::StatusOr<std::unique_ptr<const Model>> ReadDeviceModel(
    const std::string& path, const ShapeArgs& shapes, bool takes_shapes);

// Add the subverbs. Each function is defined in the file that is named after
// its subverb.
void AddOfflineWrite(CLI::App* offline, Action* action);
void AddOfflineCheck(CLI::App* offline, Action* action);
void AddOfflineStrip(CLI::App* offline, Action* action);
void AddOfflineHeader(CLI::App* offline, Action* action);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_OFFLINE_OPTIONS_H_
