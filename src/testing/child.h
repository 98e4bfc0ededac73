// SPDX-License-Identifier: Apache-2.0
// Manages a running child process and its pipes. To run a program until it
// exits, use RunChild (child_process.h). For a program that answers requests,
// use ServerProcess (server_process.h).
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

// Reads the output of a child from one pipe, and counts its bytes.
class PrintedOutput {
 public:
  // Reads whole buffers until more than `limit` bytes have been read. Stores
  // the last `kept` bytes as text.
  PrintedOutput(int fd, size_t limit, size_t kept = 4096)
      : fd_(fd), limit_(limit), kept_bytes_(kept) {}

  // Reads the available output without waiting for more.
  void ReadAvailable();

  // Resets the count and the stored text.
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

// Both ends of a pipe. They are not inherited by other child processes.
struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;

  // Creates a pipe. Errors: that of the system.
  static absl::StatusOr<Pipe> Create();
};

// Makes reads and writes of the file fail with EAGAIN instead of blocking.
// Errors: that of the system.
absl::Status SetNonBlocking(const FileDescriptor& file);

// The file descriptors of a child. Not owned.
struct ChildFiles {
  int input = -1;  // is -1 if the input is empty
  int output = -1;
  int errors = -1;
};

// Owns a child process that has not been waited for. The destructor kills the
// process group of the child and waits for the child.
class Child {
 public:
  // Starts the program in the same way as RunChild. Errors: those of RunChild.
  static absl::StatusOr<std::unique_ptr<Child>> Start(
      const std::vector<std::string>& words, const ChildFiles& files,
      ChildSlot* slot);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns how the child ended, or nullopt if it is still running.
  absl::StatusOr<absl::optional<ChildResult>> PollEnd();

 private:
  Child(pid_t pid, ChildSlot* slot) : pid_(pid), slot_(slot) {}

  pid_t pid_;  // is not reused until the child is waited for
  ChildSlot* slot_;
};

// Reads the output of the child until `is_done` returns true, and then returns
// nullopt. If the child ends or exceeds a limit before that, returns how it
// ended, without the printed text. Errors: that of the system.
absl::StatusOr<absl::optional<ChildResult>> AwaitChild(
    Child* child, absl::Span<PrintedOutput* const> outputs,
    const ChildLimits& limits, const std::function<bool()>& is_done);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_CHILD_H_
