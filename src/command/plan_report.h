// SPDX-License-Identifier: Apache-2.0
// Delivers the answer of `stowage plan`: its summary as text or JSON, and its
// files.
#ifndef STOWAGE_SRC_COMMAND_PLAN_REPORT_H_
#define STOWAGE_SRC_COMMAND_PLAN_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/picture_files.h"
#include "src/command/pools.h"
#include "src/command/verb.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::cli {

struct PlanArgs {
  std::vector<std::string> inputs;
  std::string input;  // names all inputs, for messages
  std::string strategy;
  // The note about the strategy in the summary. Empty if the user has chosen
  // the strategy.
  std::string strategy_note;
  PlanKind kind = PlanKind::kOffsets;
  absl::optional<size_t> alignment;
  absl::optional<size_t> capacity;
  PoolArgs pools;
  absl::optional<uint64_t> cost_limit;
  // The number of points on the curve of --pareto.
  absl::optional<uint64_t> points;
  bool decide = false;
  bool progress = false;
  SearchArgs search;
  std::string output;
  std::string certificate;
  PictureFiles pictures;
  Format format = Format::kText;
  InputOptions trace;
  bool names = true;  // says whether the plan file has names
  // If true, the plan file has a row for every tensor.
  bool all_tensors = false;
  // The next two fields apply only if a problem with parameters is planned for
  // all values.
  DynamicAim aim = DynamicAim::kReserve;
  absl::optional<uint64_t> buckets;
};

// Writes the plan file if there is a plan within the capacity. Otherwise, the
// exit code is 4 if it is proved that no such plan exists, 5 if a search found
// neither a plan nor a proof, and 1 if the plan that was found is too large but
// a smaller plan may exist.
Outcome DeliverPlan(const PlanArgs& args, const ProblemFile& file,
                    const Problem& problem, const Solution& solution);

// Writes the file of --certificate if it is given and the solution proves
// something. If the certificate contains the log of a search, returns a message
// with the size of the file and the time that was needed to write it, which may
// be as long as the search. Errors: Cancelled if the command was interrupted;
// those of the system.
absl::StatusOr<std::string> WriteCertificateFile(const PlanArgs& args,
                                                 const Problem& problem,
                                                 const Solution& solution);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PLAN_REPORT_H_
