// SPDX-License-Identifier: Apache-2.0
// Provides a file for content that changes thousands of times per second. The
// file stays open, because closing a file that has become shorter waits for the
// disk.
#ifndef STOWAGE_FUZZ_KEPT_FILE_H_
#define STOWAGE_FUZZ_KEPT_FILE_H_

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "absl/strings/string_view.h"
#include "fuzz/check.h"

namespace stowage {

class KeptFile {
 public:
  explicit KeptFile(const std::string& path)
      : fd_(open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0644)) {
    Check(fd_ >= 0, "cannot open " + path);
  }
  ~KeptFile() { close(fd_); }
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;

  // Replaces the content of the file. The file survives a crash of the program.
  void Set(absl::string_view content) const {
    const auto size = static_cast<off_t>(content.size());
    Check(ftruncate(fd_, size) == 0 &&
              pwrite(fd_, content.data(), content.size(), 0) == size,
          "cannot write a file");
  }

 private:
  int fd_;
};

}  // namespace stowage

#endif  // STOWAGE_FUZZ_KEPT_FILE_H_
