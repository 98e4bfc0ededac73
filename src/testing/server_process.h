// SPDX-License-Identifier: Apache-2.0
// A program that is started once and answers requests by a line protocol; like
// any other it may crash, hang, or print without end. To start one for each run
// use RunChild (child_process.h).
//
//   ServerProcess server({"python3", "server.py"}, ChildLimits());
//   absl::StatusOr<ChildResult> answer = server.Ask("/tmp/in\t/tmp/out");
//
// It prints the line "ready" when it is, reads one request from a line of its
// standard input, and prints one answer for it: the exit code that a run of its
// own would have had, and, after a blank, a message if there is one.
// docs/test-your-planner.md has the protocol and an example.
#ifndef STOWAGE_SRC_TESTING_SERVER_PROCESS_H_
#define STOWAGE_SRC_TESTING_SERVER_PROCESS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/testing/child_process.h"

namespace stowage::program {

class ServerProcess {
 public:
  // Starts nothing. `limits` are those of each request and of each start.
  ServerProcess(std::vector<std::string> words, ChildLimits limits);
  ~ServerProcess();  // kills it and the rest of its process group
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Sends the request, which has no line break, and returns the answer: its
  // `end` is kAnswer, its `phase` kRequest. Starts the program if it is not
  // running. Any other end kills the program and the rest of its group, so that
  // the next request begins anew: it ended, a limit was met, or it broke the
  // protocol, while it was starting, while it was to answer, or after its last
  // answer, where exit code 0 alone is allowed. Errors: those of RunChild.
  absl::StatusOr<ChildResult> Ask(absl::string_view request);

  // Returns whether it has ever been ready.
  bool has_been_ready() const { return has_been_ready_; }

 private:
  struct Running;

  absl::StatusOr<ChildResult> AskRunning(absl::string_view request);
  absl::Status Start();
  absl::StatusOr<ChildResult> PollIdle();
  absl::StatusOr<ChildResult> Send(absl::string_view request);
  absl::StatusOr<ChildResult> AwaitLine(ChildResult::Phase phase);
  absl::StatusOr<ChildResult> AwaitEndOfClosed(ChildResult::Phase phase);

  const std::vector<std::string> words_;
  const ChildLimits limits_;
  std::unique_ptr<Running> running_;  // null if it is not
  bool has_been_ready_ = false;
};

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_SERVER_PROCESS_H_
