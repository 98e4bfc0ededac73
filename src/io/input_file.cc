// SPDX-License-Identifier: Apache-2.0
#include "stowage/io/input_file.h"

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

#include "src/base/str_cat.h"
#include "src/io/file_descriptor.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;

}  // namespace

StatusOr<std::unique_ptr<InputFile>> InputFile::Open(const std::string& path) {
  if (path == kStandardStream) {
    return std::unique_ptr<InputFile>(
        new InputFile("<stdin>", STDIN_FILENO, 0));
  }
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.ok()) return ErrnoStatus(errno, path, "cannot open it");
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) {
    return ErrnoStatus(errno, path, "cannot read its attributes");
  }
  if (S_ISDIR(info.st_mode)) {
    return FailedPreconditionError(StrCat(path, ": a folder; expected a file"));
  }
  const size_t mappable =
      S_ISREG(info.st_mode) ? static_cast<size_t>(info.st_size) : 0;
  return std::unique_ptr<InputFile>(
      new InputFile(path, file.Release(), mappable));
}

InputFile::InputFile(std::string name, int fd, size_t mappable)
    : name_(std::move(name)), fd_(fd), mappable_bytes_(mappable) {}

InputFile::~InputFile() {
  if (mapping_ != nullptr) munmap(mapping_, mappable_bytes_);
  if (fd_ != STDIN_FILENO) close(fd_);
}

StatusOr<string_view> InputFile::Peek(size_t count) {
  while (start_.size() < count) {
    const size_t old_size = start_.size();
    start_.resize(count);
    const StatusOr<size_t> more = ReadFile(MakeSpan(start_).subspan(old_size));
    start_.resize(old_size + (more.ok() ? *more : 0));
    if (!more.ok()) return more.status();
    if (*more == 0) break;
  }
  return string_view(start_).substr(0, count);
}

StatusOr<size_t> InputFile::Read(Span<char> buffer) {
  if (start_read_ == start_.size()) return ReadFile(buffer);
  const size_t count = start_.copy(buffer.data(), buffer.size(), start_read_);
  start_read_ += count;
  return count;
}

StatusOr<string_view> InputFile::Contents() {
  if (mappable_bytes_ == 0) return ReadAll();
  if (mapping_ == nullptr) {
    void* const mapping =
        mmap(nullptr, mappable_bytes_, PROT_READ, MAP_PRIVATE, fd_, 0);
    if (mapping == MAP_FAILED) {
      return ErrnoStatus(errno, name_, "cannot map it into memory");
    }
    mapping_ = mapping;
  }
  return string_view(static_cast<const char*>(mapping_), mappable_bytes_);
}

StatusOr<string_view> InputFile::ReadAll() {
  size_t old_size = 0;
  do {
    old_size = start_.size();
    if (old_size > kMaxUnmappedBytes) {
      return ResourceExhaustedError(
          StrCat(name_, ": more than ", kMaxUnmappedBytes,
                 " bytes from what is not a regular file"));
    }
    if (StatusOr<string_view> start = Peek(old_size + kChunkBytes);
        !start.ok()) {
      return start;
    }
  } while (start_.size() > old_size);
  return start_;
}

StatusOr<size_t> InputFile::ReadFile(Span<char> buffer) {
  while (true) {
    const ssize_t count = read(fd_, buffer.data(), buffer.size());
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return ErrnoStatus(errno, name_, "cannot read it");
  }
}

}  // namespace stowage
