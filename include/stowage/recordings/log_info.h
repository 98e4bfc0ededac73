// SPDX-License-Identifier: Apache-2.0
// Reads a summary of a log that the recorder (stowage/recorder.h) or `stowage
// record` has written. To plan the recorded memory, use recording.h.
#ifndef STOWAGE_RECORDINGS_LOG_INFO_H_
#define STOWAGE_RECORDINGS_LOG_INFO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {

struct LogInfo {
  // The path of the program, and its arguments. If the arguments are very long,
  // their end may be missing.
  std::string program;
  std::vector<std::string> arguments;
  uint64_t process = 0;
  uint64_t parent = 0;
  uint64_t start_time = 0;  // nanoseconds since 1970
  // True if the process is a fork of its parent and has not executed another
  // program. The blocks of the parent are not in the log.
  bool is_forked = false;

  // The number of all events: allocations, frees, uses and steps.
  uint64_t events = 0;
  // The number of allocations, including those of 0 bytes.
  uint64_t allocations = 0;
  // The maximum number of bytes that were live at the same time.
  uint64_t peak_bytes = 0;
  // The number of blocks that were live at the end, and the sum of their sizes.
  uint64_t live_blocks = 0;
  uint64_t live_bytes = 0;
  // The number of events that are missing from the log because the program was
  // killed while it wrote them, or because the file could not grow.
  uint64_t lost_events = 0;
  // The part of `lost_events` that has sequence numbers but no bytes in the
  // log. While the program is running, its threads may still write some of
  // these events.
  uint64_t missing_events = 0;
};

// Reads the summary of a log. Errors: InvalidArgument if the file is not such a
// log; those of InputFile (io/input_file.h).
StatusOr<LogInfo> ReadLogInfo(const std::string& path);

// Like ReadLogInfo, for the content of a file. Error messages refer to the file
// as `name`.
StatusOr<LogInfo> ParseLogInfo(string_view bytes, const std::string& name);

}  // namespace stowage

#endif  // STOWAGE_RECORDINGS_LOG_INFO_H_
