// SPDX-License-Identifier: Apache-2.0
// Runs a program that is started once and then answers requests with a line
// protocol. Like any other program, it may crash, hang, or print endlessly. To
// start a process for each run, use RunChild (child_process.h).
//
//   ServerProcess server({"python3", "server.py"}, ChildLimits());
//   absl::StatusOr<ChildResult> answer = server.Ask("/tmp/in\t/tmp/out");
//
// The program prints the line "ready" when it is ready. It then reads each
// request as a line of standard input and prints one line as the answer: the
// exit code that a separate run would have had and, after a space, an optional
// message. The protocol is described, with an example, in
// docs/test-your-planner.md.
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
  // Does not start the program. `limits` apply to each request and to each
  // start.
  ServerProcess(std::vector<std::string> words, ChildLimits limits);
  ~ServerProcess();  // kills the program and its process group
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Sends the request, which must not contain a line break, and returns the
  // answer: its `end` is kAnswer and its `phase` is kRequest. Starts the
  // program if it is not running.
  //
  // The program may end, exceed a limit or violate the protocol while it
  // starts, during the request, or after its last answer. In these cases,
  // returns how it ended instead of an answer, and kills the rest of its
  // process group; the next request starts the program again. There is one
  // exception: if the program ends with exit code 0 after its last answer,
  // before it reads this request, it is started again immediately. Errors:
  // those of RunChild.
  absl::StatusOr<ChildResult> Ask(absl::string_view request);

  // Returns whether the program has ever been ready.
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
  std::unique_ptr<Running> running_;  // is null if the program is not running
  bool has_been_ready_ = false;
};

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_SERVER_PROCESS_H_
