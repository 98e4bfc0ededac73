// SPDX-License-Identifier: Apache-2.0
// Reads a file as a stream, or maps it into memory. To copy a whole file into a
// string, use read_file.h. For problems and plans, use problem_file.h.
//
//   const StatusOr<std::unique_ptr<InputFile>> file =
//       InputFile::Open("net.tflite");
//   if (!file.ok()) return file.status();
//   const StatusOr<string_view> bytes = (*file)->Contents();
//
// While a mapped file is in use, no other process may shorten the file, because
// reading the missing part would crash the program.
#ifndef STOWAGE_IO_INPUT_FILE_H_
#define STOWAGE_IO_INPUT_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"

namespace stowage {

// The maximum size of a file that is read into memory because it cannot be
// mapped.
constexpr size_t kMaxUnmappedBytes = size_t{1} << 31;

// An open file. Not thread-safe.
class InputFile final : public ByteSource {
 public:
  // Opens a file, or standard input if the path is "-". Errors: those that the
  // system reports; FailedPrecondition for a folder.
  static StatusOr<std::unique_ptr<InputFile>> Open(const std::string& path);
  ~InputFile() override;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Returns the name of the file in messages.
  const std::string& name() const { return name_; }

  // Returns the first `count` bytes of the file, or all bytes if there are
  // fewer. Must be called before anything is read.
  StatusOr<string_view> Peek(size_t count);

  StatusOr<size_t> Read(Span<char> buffer) override;

  // Returns the whole file, even if Peek was called before. The file is mapped
  // into memory if possible and read otherwise. The result is valid as long as
  // the object exists. Error: ResourceExhausted for a file that cannot be
  // mapped and is larger than kMaxUnmappedBytes.
  StatusOr<string_view> Contents();

 private:
  InputFile(std::string name, int fd, size_t mappable);

  StatusOr<string_view> ReadAll();
  StatusOr<size_t> ReadFile(Span<char> buffer);

  std::string name_;
  int fd_;                 // is closed at the end unless it is standard input
  size_t mappable_bytes_;  // the size of a regular file, or 0 for other files
  void* mapping_ = nullptr;
  // The bytes that Peek has read or, if the file cannot be mapped, the whole
  // file after Contents.
  std::string start_;
  size_t start_read_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_IO_INPUT_FILE_H_
