// SPDX-License-Identifier: Apache-2.0
// A child process, with pipes, while it is running. To run a program to its end
// use RunChild (child_process.h), for one that answers requests ServerProcess
// (server_process.h).
#ifndef STOWAGE_SRC_TESTING_CHILD_H_
#define STOWAGE_SRC_TESTING_CHILD_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/io/file_descriptor.h"
#include "src/testing/child_process.h"

namespace stowage::program {

// Reads what a child prints into one pipe and counts it.
class PrintedOutput {
 public:
  // Reads at most `limit` bytes and one buffer, and keeps the last `kept`.
  PrintedOutput(int fd, size_t limit, size_t kept = 4096)
      : fd_(fd), limit_(limit), kept_bytes_(kept) {}

  // Reads what is available without waiting for more.
  void ReadAvailable();

  // Begins to count again.
  void Clear();

  int fd() const { return fd_; }
  bool has_ended() const { return ended_; }
  size_t count() const { return count_; }
  const std::string& text() const { return kept_; }

 private:
  int fd_;
  size_t limit_;
  size_t kept_bytes_;
  size_t count_ = 0;
  bool ended_ = false;
  std::string kept_;
};

// Two ends of a pipe that no other child inherits.
struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;

  // Error: that of the system.
  static absl::StatusOr<Pipe> Create();
};

// Makes reading or writing fail with EAGAIN where it would have to wait. Error:
// that of the system.
absl::Status SetNonBlocking(const FileDescriptor& file);

// The files of a child. Not owned.
struct ChildFiles {
  int input = -1;  // none: it reads nothing
  int output = -1;
  int errors = -1;
};

// A child process that has not been waited for. The destructor kills its group
// and waits for it.
class Child {
 public:
  // Starts the program as RunChild does. Errors: those of RunChild.
  static absl::StatusOr<std::unique_ptr<Child>> Start(
      const std::vector<std::string>& words, const ChildFiles& files,
      ChildSlot* slot);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns how it ended, or nullopt while it is running.
  absl::StatusOr<absl::optional<ChildResult>> PollEnd();

 private:
  Child(pid_t pid, ChildSlot* slot) : pid_(pid), slot_(slot) {}

  pid_t pid_;  // no other process has this number until it is waited for
  ChildSlot* slot_;
};

// Reads what the child prints until `is_done` returns true, and returns nullopt
// then; or until it ends or meets one of the limits, and returns how, without
// the text. Error: that of the system.
absl::StatusOr<absl::optional<ChildResult>> AwaitChild(
    Child* child, absl::Span<PrintedOutput* const> outputs,
    const ChildLimits& limits, const std::function<bool()>& is_done);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_CHILD_H_
