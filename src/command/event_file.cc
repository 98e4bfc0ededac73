// SPDX-License-Identifier: Apache-2.0
#include "src/command/event_file.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/write_file.h"
#include "stowage/views/trace_events.h"
#include "stowage/write_text.h"

namespace stowage::cli {

CLI::Option* AddEventFile(CLI::App* verb, EventFile* file) {
  CLI::Option* const perfetto =
      AddValue(verb, "--perfetto", "FILE",
               "Write the plan here as a trace of events, for Perfetto "
               "(.pftrace) or speedscope (.json)",
               [file](const std::string& path) {
                 if (IsStandardOutput(path)) {
                   return absl::InvalidArgumentError(absl::StrCat(
                       "'", path, "'; expected the name of a file"));
                 }
                 file->path = path;
                 return views::TraceEventFormatOf(path).status();
               });
  AddParsed(verb, "--lanes", "N",
            "Maximum number of tracks for an arena, a pool or the objects in "
            "that trace; if there are more, the smallest tensors or objects "
            "are left out (default 64)",
            ParsePositive, &file->lanes)
      ->needs(perfetto);
  return perfetto;
}

absl::Status WriteEventFile(const EventFile& file,
                            absl::Span<const views::PlanView> plans,
                            std::vector<uint64_t> task_nanoseconds) {
  if (file.path.empty()) return absl::OkStatus();
  const absl::StatusOr<views::TraceEventFormat> format =
      views::TraceEventFormatOf(file.path);
  if (!format.ok()) return format.status();
  views::TraceEventOptions options;
  options.lanes = file.lanes.value_or(options.lanes);
  options.task_nanoseconds = std::move(task_nanoseconds);
  return WriteFileInPieces(file.path, [&](const WriteText& write) {
    return views::WriteTraceEvents(plans, *format, options, write);
  });
}

}  // namespace stowage::cli
