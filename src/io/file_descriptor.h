// SPDX-License-Identifier: Apache-2.0
// Owns file descriptors, and converts errors of the system to statuses.
#ifndef STOWAGE_SRC_IO_FILE_DESCRIPTOR_H_
#define STOWAGE_SRC_IO_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <string>
#include <utility>

#include "src/base/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {

// The name of standard input and output on the command line.
constexpr string_view kStandardStream = "-";

// Returns the error "PATH: MESSAGE: DESCRIPTION" with the status code for
// `error`. DESCRIPTION is the text of the system for `error`. An empty path is
// shown as quotes, because it would otherwise be invisible.
inline Status ErrnoStatus(int error, string_view path, string_view message) {
  return ErrnoToStatus(error,
                       StrCat(path.empty() ? "\"\"" : path, ": ", message));
}

// Owns an open file, and closes it on destruction.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }

  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }

  // Returns the descriptor without closing it, for callers that need to know
  // whether closing succeeds.
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_FILE_DESCRIPTOR_H_
