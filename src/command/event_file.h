// SPDX-License-Identifier: Apache-2.0
// Adds the options --perfetto and --lanes, which write event traces.
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
  std::string path;  // no file is written if it is empty
  absl::optional<size_t> lanes;
};

// Adds both options, and returns --perfetto.
CLI::Option* AddEventFile(CLI::App* verb, EventFile* file);

// Writes the plans to the file if a path is given. If times were measured, each
// task has its measured time. Errors: those of WriteTraceEvents and of the
// system.
absl::Status WriteEventFile(const EventFile& file,
                            absl::Span<const views::PlanView> plans,
                            std::vector<uint64_t> task_nanoseconds = {});

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_EVENT_FILE_H_
