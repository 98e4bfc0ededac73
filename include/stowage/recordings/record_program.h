// SPDX-License-Identifier: Apache-2.0
// Runs a program and records all of its allocations, and those of the programs
// that it starts. To record allocations by calls in the code of a runtime, use
// stowage/recorder.h.
//
//   const StatusOr<RecordedProgram> recorded =
//       RecordProgram({"gcc", "-c", "a.c"}, "logs", library);
//   if (!recorded.ok()) return recorded.status();
//   for (const RecordedImage& image : recorded->images) {
//     const StatusOr<Recording> recording = ReadRecording(image.path);
//
// Each exec of a process creates a new process image, and so does a fork that
// is not followed by an exec. Each image has its own log.
#ifndef STOWAGE_RECORDINGS_RECORD_PROGRAM_H_
#define STOWAGE_RECORDINGS_RECORD_PROGRAM_H_

#include <string>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/recordings/log_info.h"

namespace stowage {

struct RecordedImage {
  std::string path;  // the path of the log
  LogInfo info;
};

struct RecordedProgram {
  // The exit code of the program, or 128 plus the number of the signal that
  // terminated it.
  int exit_code = 0;
  int signal = 0;  // the number of this signal, or 0
  // The process images that have new logs, in the order in which the images
  // began. This includes programs that are still running, with their events so
  // far.
  std::vector<RecordedImage> images;
  // The reason why the program itself has no events although other programs
  // have events. Empty otherwise.
  std::string note;
  // The new logs that cannot be read, with the reasons. Empty if all new logs
  // can be read.
  std::string unreadable;
};

struct RecordOptions {
  // If true, the log also records the uses of blocks of at least a page, which
  // UseRule (event_log.h) needs. Requires CanRecordTouches().
  bool touches = false;
};

// Returns whether the system can record touches. Linux 5.11 on x86-64 can.
bool CanRecordTouches();

// Runs `command`, a program and its arguments, and waits until it exits. The
// program is found as a shell finds it. The program shares the standard input
// and output of this process, and receives the signals that are sent to this
// process while it runs.
//
// The logs are written to `folder`. If it does not exist, it is created with
// its parents; after an error, it is removed again without them if it is empty.
// Files that are already in the folder are not changed. `library` is the path
// of libstowage_record.so.
//
// Errors: InvalidArgument if `command` is empty, or if LD_PRELOAD cannot
// express a path; Unimplemented if touches are to be recorded but the system
// cannot record them; NotFound if there is no such program or library;
// FailedPrecondition if nothing was recorded (the message gives the reason);
// other errors that the system reports. Not thread-safe: only one thread may
// call this function at a time.
StatusOr<RecordedProgram> RecordProgram(const std::vector<std::string>& command,
                                        const std::string& folder,
                                        const std::string& library,
                                        const RecordOptions& options = {});

// Returns the reason why a program cannot be recorded, as a clause that names
// the path of the program. Returns an empty string if no such reason is known.
std::string WhyNotRecorded(const std::string& program);

}  // namespace stowage

#endif  // STOWAGE_RECORDINGS_RECORD_PROGRAM_H_
