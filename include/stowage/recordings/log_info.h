// SPDX-License-Identifier: Apache-2.0
// Reads a summary of a log that the recorder (stowage/recorder.h) or `stowage
// record` has written. To plan such a log, read it with recording.h.
#ifndef STOWAGE_RECORDINGS_LOG_INFO_H_
#define STOWAGE_RECORDINGS_LOG_INFO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {

struct LogInfo {
  // The path of the program, and its arguments. If the arguments were very
  // long, their end may be missing.
  std::string program;
  std::vector<std::string> arguments;
  uint64_t process = 0;
  uint64_t parent = 0;
  uint64_t start_time = 0;  // nanoseconds since 1970
  // True if the process is a copy of its parent (fork) that executed no program
  // of its own. The log then has no blocks of the parent.
  bool is_forked = false;

  // The number of events: of allocations, frees, uses and steps.
  uint64_t events = 0;
  // The number of allocations, including those of no bytes.
  uint64_t allocations = 0;
  // The largest number of bytes that were live at the same time.
  uint64_t peak_bytes = 0;
  // The number and the bytes of the blocks that were live at the end.
  uint64_t live_blocks = 0;
  uint64_t live_bytes = 0;
  // The number of events that are not in the log, because the program was
  // killed while it wrote them or because the file could not grow.
  uint64_t lost_events = 0;
  // The number of lost events that have a sequence number but no bytes in the
  // log. While the program runs, its threads may still write some of these
  // events.
  uint64_t missing_events = 0;
};

// Reads a log. Errors: InvalidArgument if the file is not such a log; those of
// InputFile (io/input_file.h).
StatusOr<LogInfo> ReadLogInfo(const std::string& path);

// Does the same for the bytes of a file, which messages call `name`.
StatusOr<LogInfo> ParseLogInfo(string_view bytes, const std::string& name);

}  // namespace stowage

#endif  // STOWAGE_RECORDINGS_LOG_INFO_H_
