// SPDX-License-Identifier: Apache-2.0
// Traces of events on the command line: --perfetto and --lanes.
#ifndef STOWAGE_SRC_COMMAND_EVENT_FILE_H_
#define STOWAGE_SRC_COMMAND_EVENT_FILE_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/explain/plan_view.h"

namespace stowage::cli {

struct EventFile {
  std::string path;  // empty: none asked for
  absl::optional<size_t> lanes;
};

// Adds both options; returns --perfetto.
CLI::Option* AddEventFile(CLI::App* verb, EventFile* file);

// Writes the file, if one is asked for: plans with the times of their tasks, if
// they were measured. Errors: those of WriteTraceEvents and of the system.
absl::Status WriteEventFile(const EventFile& file,
                            absl::Span<const views::PlanView> plans,
                            std::vector<uint64_t> task_nanoseconds = {});

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_EVENT_FILE_H_
