// SPDX-License-Identifier: Apache-2.0
// Runs a program with its allocations placed in one planned arena. If the
// program runs to its end, the recording of its allocations and the plan that
// was made from the recording are correct. To check a plan without running
// anything, use FindViolation (verify.h).
//
//   const StatusOr<ProblemFile> plan = ReadProblemFile("plan.csv");
//   ReplayRequest request;
//   request.command = {"sort", "-n", "numbers"};
//   const StatusOr<ReplayReport> report = Replay(*plan, request);
//   if (report.ok() && report->divergence.empty()) {
//     // The program ran to its end under the plan.
//
// The id of a record is the number of an allocation: the allocations of a
// process image are numbered from 0 in the order in which they happen. An
// allocation of 0 bytes has a number but no record. The plan applies only to
// the first process image that allocates memory, and in this image to the first
// thread. The program is stopped when its allocations differ from the plan, or
// when the plan places a block on a block that is still live. Forked children
// of the program, and the images that they execute, run without a plan. For all
// rules, see docs/recordings/replay.md. Requires Linux and glibc.
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
  // The program, which is searched for in PATH, and its arguments.
  std::vector<std::string> command;
  // The path of libstowage_replay.so, without blanks and colons. The program
  // sees the path in LD_PRELOAD, so the length of the path must be the same in
  // the recording and in the replay.
  std::string library;
  // If true, the bytes of a block are overwritten when the block is freed.
  bool poisons = false;
  // If set, this function is called with the process id of the program after
  // the program starts. It is called again, with 0, after the program has
  // exited but before another process can get the same id.
  std::function<void(pid_t process)> on_process = nullptr;
};

struct ReplayReport {
  // The point at which the program deviated from the plan. If the deviation
  // concerns an allocation, the text begins with "diverges at allocation N".
  // Empty if the program ran to its end under the plan.
  std::string divergence;
  // The path of the process image to which the plan was applied. Empty if no
  // image allocated memory.
  std::string program;
  uint64_t allocations = 0;  // that were served, including those of no bytes
  uint64_t bytes_asked = 0;
  size_t arena_bytes = 0;
  // The way in which the command ended: its exit code, or the signal that
  // terminated it. `signal` is 0 if the command exited.
  int exit_code = 0;
  int signal = 0;
};

// Runs the command and waits until it exits. The command shares the standard
// input and outputs of the caller. The plan is not verified, so that wrong
// plans can be tested. Errors: InvalidArgument if the file has no plan of
// offsets in one arena, or if an id is not a number or occurs twice;
// FailedPrecondition if an offset is not a multiple of 16, since all addresses
// from malloc are multiples of 16; NotFound and other errors that the system
// reports for the command; Unimplemented if `library` cannot be read.
StatusOr<ReplayReport> Replay(const ProblemFile& plan,
                              const ReplayRequest& request);

}  // namespace stowage

#endif  // STOWAGE_RECORDINGS_REPLAY_H_
