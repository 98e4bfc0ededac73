// SPDX-License-Identifier: Apache-2.0
// Manages a running child process and its pipes. To run a program to its end
// use RunChild (child_process.h); for a program that answers requests use
// ServerProcess (server_process.h).
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

// Reads and counts what a child prints into one pipe.
class PrintedOutput {
 public:
  // Reads whole buffers until more than `limit` bytes have been read. Keeps the
  // last `kept` bytes as text.
  PrintedOutput(int fd, size_t limit, size_t kept = 4096)
      : fd_(fd), limit_(limit), kept_bytes_(kept) {}

  // Reads what is available without waiting for more.
  void ReadAvailable();

  // Discards the count and the text that was kept.
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

// Both ends of a pipe. Other children do not inherit them.
struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;

  // Creates a pipe. Error: that of the system.
  static absl::StatusOr<Pipe> Create();
};

// Makes reads and writes of the file fail with EAGAIN if they would have to
// wait. Error: that of the system.
absl::Status SetNonBlocking(const FileDescriptor& file);

// The file descriptors of a child. Not owned.
struct ChildFiles {
  int input = -1;  // is -1 if the input is empty
  int output = -1;
  int errors = -1;
};

// Owns a child process that has not been waited for yet. The destructor kills
// the process group of the child and waits for the child.
class Child {
 public:
  // Starts the program as RunChild does. Errors: those of RunChild.
  static absl::StatusOr<std::unique_ptr<Child>> Start(
      const std::vector<std::string>& words, const ChildFiles& files,
      ChildSlot* slot);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns how the child ended, or nullopt while it is running.
  absl::StatusOr<absl::optional<ChildResult>> PollEnd();

 private:
  Child(pid_t pid, ChildSlot* slot) : pid_(pid), slot_(slot) {}

  pid_t pid_;  // is not reused until the child is waited for
  ChildSlot* slot_;
};

// Reads what the child prints until `is_done` returns true, and then returns
// nullopt. If the child ends first or exceeds a limit, returns how it ended,
// without the printed text. Error: that of the system.
absl::StatusOr<absl::optional<ChildResult>> AwaitChild(
    Child* child, absl::Span<PrintedOutput* const> outputs,
    const ChildLimits& limits, const std::function<bool()>& is_done);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_CHILD_H_
