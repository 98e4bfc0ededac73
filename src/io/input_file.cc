// SPDX-License-Identifier: Apache-2.0
#include "src/io/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/io/file_descriptor.h"

namespace stowage {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<InputFile>> InputFile::Open(
    const std::string& path) {
  if (path == kStandardStream) {
    return absl::WrapUnique(
        new InputFile("<stdin>", FileDescriptor(), STDIN_FILENO, 0));
  }
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.ok()) return ErrnoStatus(errno, path, "cannot open it");
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) {
    return ErrnoStatus(errno, path, "cannot look at it");
  }
  if (S_ISDIR(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": a folder; expected a file"));
  }
  const size_t mappable =
      S_ISREG(info.st_mode) ? static_cast<size_t>(info.st_size) : 0;
  const int fd = file.get();
  return absl::WrapUnique(new InputFile(path, std::move(file), fd, mappable));
}

InputFile::~InputFile() {
  if (mapping_ != nullptr) munmap(mapping_, mappable_bytes_);
}

absl::StatusOr<absl::string_view> InputFile::Peek(size_t count) {
  while (start_.size() < count) {
    const size_t old_size = start_.size();
    start_.resize(count);
    const absl::StatusOr<size_t> more =
        ReadFile(absl::MakeSpan(start_).subspan(old_size));
    start_.resize(old_size + (more.ok() ? *more : 0));
    if (!more.ok()) return more.status();
    if (*more == 0) break;
  }
  return absl::string_view(start_).substr(0, count);
}

absl::StatusOr<size_t> InputFile::Read(absl::Span<char> buffer) {
  if (start_read_ == start_.size()) return ReadFile(buffer);
  const size_t count = start_.copy(buffer.data(), buffer.size(), start_read_);
  start_read_ += count;
  return count;
}

absl::StatusOr<absl::string_view> InputFile::Contents() {
  if (mappable_bytes_ == 0) return ReadAll();
  if (mapping_ == nullptr) {
    void* const mapping =
        mmap(nullptr, mappable_bytes_, PROT_READ, MAP_PRIVATE, fd_, 0);
    if (mapping == MAP_FAILED) {
      return ErrnoStatus(errno, name_, "cannot map it into memory");
    }
    mapping_ = mapping;
  }
  return absl::string_view(static_cast<const char*>(mapping_), mappable_bytes_);
}

absl::StatusOr<absl::string_view> InputFile::ReadAll() {
  size_t old_size = 0;
  do {
    old_size = start_.size();
    if (old_size > kMaxUnmappedBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(name_, ": more than ", kMaxUnmappedBytes,
                       " bytes from what is not a regular file"));
    }
    if (absl::StatusOr<absl::string_view> start = Peek(old_size + kChunkBytes);
        !start.ok()) {
      return start;
    }
  } while (start_.size() > old_size);
  return start_;
}

absl::StatusOr<size_t> InputFile::ReadFile(absl::Span<char> buffer) {
  while (true) {
    const ssize_t count = read(fd_, buffer.data(), buffer.size());
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return ErrnoStatus(errno, name_, "cannot read it");
  }
}

}  // namespace stowage
