// SPDX-License-Identifier: Apache-2.0
// Runs a program whose allocations come from one planned arena, and so shows
// that the recording of its allocations, and the plan made from it, are true.
// To check a plan without running anything use FindViolation (verify.h).
//
//   const StatusOr<ProblemFile> plan = ReadProblemFile("plan.csv");
//   ReplayRequest request;
//   request.command = {"sort", "-n", "numbers"};
//   const StatusOr<ReplayReport> report = Replay(*plan, request);
//   if (report.ok() && report->divergence.empty()) {
//     // The program ran to its end under the plan.
//
// The id of a record is the number of an allocation, from 0, in the order in
// which one process image made them; an allocation of no bytes has a number
// and no record. The plan belongs to the first image of the command that
// allocates, and to its first thread. It is stopped where it allocates
// otherwise, and where the plan places a block on one that is still live. Its
// forked children and the images that they execute run without a plan.
// docs/recordings/replay.md has all rules. Needs Linux and glibc.
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
  // sees it in LD_PRELOAD, so its length belongs to what must not change
  // between the recording and the replay.
  std::string library;
  // If true, the bytes of a block are overwritten when it is freed.
  bool poisons = false;
  // Called with the process of the program when it has started, and with 0
  // before its number can become that of another one. May be null.
  std::function<void(pid_t process)> on_process = nullptr;
};

struct ReplayReport {
  // Says where the program did something else than the plan says. Empty if it
  // ran to its end under the plan. Begins with "diverges at allocation N" if it is about
  // an allocation.
  std::string divergence;
  // The path of the image that has the plan; empty if none allocated.
  std::string program;
  uint64_t allocations = 0;  // that were served, those of no bytes included
  uint64_t bytes_asked = 0;
  size_t arena_bytes = 0;
  // How the command ended: by exit or by a signal, which is 0 then.
  int exit_code = 0;
  int signal = 0;
};

// Runs the command and waits for its end. Its input and outputs are those of
// the caller. Does not verify the plan, so that plans can be tried that are
// wrong. Errors: InvalidArgument if the file has no plan of offsets in one
// arena, or ids that are not different numbers; FailedPrecondition for an
// offset that is not a multiple of 16, since malloc returns none; NotFound and
// others that the system reports for the command; Unimplemented where there is
// no such library.
StatusOr<ReplayReport> Replay(const ProblemFile& plan,
                              const ReplayRequest& request);

}  // namespace stowage

#endif  // STOWAGE_RECORDINGS_REPLAY_H_
