// SPDX-License-Identifier: Apache-2.0
// Reads a file as a stream or as a whole.
#ifndef STOWAGE_SRC_IO_INPUT_FILE_H_
#define STOWAGE_SRC_IO_INPUT_FILE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/io/byte_source.h"
#include "src/io/file_descriptor.h"

namespace stowage {

// The largest file that is read into memory because it cannot be mapped.
constexpr size_t kMaxUnmappedBytes = size_t{1} << 31;

class InputFile : public ByteSource {
 public:
  // Opens a file, or standard input if the path is "-". Errors: those that the
  // system reports; FailedPrecondition for a folder.
  static absl::StatusOr<std::unique_ptr<InputFile>> Open(
      const std::string& path);
  ~InputFile() override;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Returns the name of the file for messages.
  const std::string& name() const { return name_; }

  // Returns the first `count` bytes of the file, or all of them if there are
  // fewer. Must be called before anything is read.
  absl::StatusOr<absl::string_view> Peek(size_t count);

  absl::StatusOr<size_t> Read(absl::Span<char> buffer) override;

  // Returns the whole file, even if Peek was called before. The file is mapped
  // into memory if possible and read otherwise. The result is valid as long as
  // the object exists. Error: ResourceExhausted for a file that cannot be
  // mapped and is larger than kMaxUnmappedBytes.
  absl::StatusOr<absl::string_view> Contents();

 private:
  InputFile(std::string name, FileDescriptor owned, int fd, size_t mappable)
      : name_(std::move(name)),
        owned_(std::move(owned)),
        fd_(fd),
        mappable_bytes_(mappable) {}

  absl::StatusOr<absl::string_view> ReadAll();
  absl::StatusOr<size_t> ReadFile(absl::Span<char> buffer);

  std::string name_;
  FileDescriptor owned_;  // empty for standard input
  int fd_;
  size_t mappable_bytes_;  // size of a regular file, 0 for others
  void* mapping_ = nullptr;
  std::string start_;  // the bytes from Peek, or the whole file if not mapped
  size_t start_read_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_INPUT_FILE_H_
