// SPDX-License-Identifier: Apache-2.0
// Runs a program so that its allocations come from one planned arena. A
// complete run shows that the recording of the allocations, and the plan that
// was made from it, are correct. To check a plan without running anything, use
// FindViolation (verify.h).
//
//   const StatusOr<ProblemFile> plan = ReadProblemFile("plan.csv");
//   ReplayRequest request;
//   request.command = {"sort", "-n", "numbers"};
//   const StatusOr<ReplayReport> report = Replay(*plan, request);
//   if (report.ok() && report->divergence.empty()) {
//     // The program ran to its end under the plan.
//
// The id of a record is the number of an allocation, from 0, in the order in
// which one process image made them; an allocation of no bytes has a number and
// no record. The plan applies to the first process image that allocates memory,
// and there to the first thread. The program is stopped where its allocations
// differ from the plan, and where the plan places a block on a block that is
// still live. The forked children of the program, and the images that these
// children execute, run without a plan. docs/recordings/replay.md has all
// rules. Needs Linux and glibc.
#ifndef STOWAGE_RECORDINGS_REPLAY_H_
#define STOWAGE_RECORDINGS_REPLAY_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/io/problem_file.h"

namespace stowage {

struct ReplayRequest {
  // The program, which is looked for in PATH, and its arguments.
  std::vector<std::string> command;
  // The path of libstowage_replay.so, without blanks and colons. The program
  // sees the path in LD_PRELOAD. Therefore, the length of the path must not
  // change between the recording and the replay.
  std::string library;
  // If true, the bytes of a block are overwritten when it is freed.
  bool poisons = false;
  // If set, this function is called with the process id of the program after
  // the start. It is called again, with 0, when the program has ended and
  // before another process can get the same id.
  std::function<void(pid_t process)> on_process = nullptr;
};

struct ReplayReport {
  // Says where the program deviated from the plan. The text is empty if the
  // program ran to its end under the plan. If the deviation concerns an
  // allocation, the text begins with "diverges at allocation N".
  std::string divergence;
  // The path of the image to which the plan was applied. The text is empty if
  // no image allocated anything.
  std::string program;
  uint64_t allocations = 0;  // that were served, including those of no bytes
  uint64_t bytes_asked = 0;
  size_t arena_bytes = 0;
  // These two members say how the command ended. After an exit, `signal` is 0.
  int exit_code = 0;
  int signal = 0;
};

// Runs the command and waits for its end. The command has the standard input
// and outputs of the caller. The plan is not verified, so that wrong plans can
// be tried. Errors: InvalidArgument if the file has no plan of offsets in one
// arena, or if an id is not a number or occurs twice; FailedPrecondition if an
// offset is not a multiple of 16, since malloc returns no such address;
// NotFound and other errors that the system reports for the command;
// Unimplemented if `library` cannot be read.
StatusOr<ReplayReport> Replay(const ProblemFile& plan,
                              const ReplayRequest& request);

}  // namespace stowage

#endif  // STOWAGE_RECORDINGS_REPLAY_H_
