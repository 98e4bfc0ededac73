// SPDX-License-Identifier: Apache-2.0
#include "stowage/io/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

#include "src/base/str_cat.h"
#include "src/io/file_descriptor.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/write_text.h"

namespace stowage {
namespace {

// An error that is stored without allocating memory and can be converted to a
// Status later. While a temporary file exists, the code in this source file
// allocates no memory, because a failed allocation may terminate the program
// and leave the temporary file behind. Only a function that produces the
// contents of a file in pieces may allocate memory (see RemoveTemporaryFile).
struct Failure {
  int error = 0;  // is 0 if there is no error
  const char* message = "";

  bool ok() const { return error == 0; }
  Status About(string_view path) const {
    return ok() ? OkStatus() : ErrnoStatus(error, path, message);
  }
};

Failure WriteAll(int fd, string_view content) {
  while (!content.empty()) {
    const ssize_t count = write(fd, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {errno, "cannot write it"};
    content.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

// A function that writes the contents to an open file.
using Fill = std::function<Failure(int fd)>;

// Closes the file. Some file systems report a failed write only when the file
// is closed.
Failure Close(FileDescriptor file) {
  if (close(file.Release()) == 0 || errno == EINTR) return {};
  return {errno, "cannot write it to the end"};
}

Status WriteDirectly(const std::string& path, const Fill& fill) {
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.ok()) return ErrnoStatus(errno, path, "cannot open it");
  Failure failure = fill(file.get());
  if (failure.ok()) failure = Close(std::move(file));
  return failure.About(path);
}

string_view FolderOf(string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

// Follows the symbolic links that start at `path`, and returns the final path,
// even if there is no file at that path.
StatusOr<std::string> FollowLinks(std::string path) {
  constexpr int kMaxLinks = 40;
  for (int i = 0; i < kMaxLinks; ++i) {
    char target[4096];
    const ssize_t size = readlink(path.c_str(), target, sizeof(target));
    if (size < 0) return path;
    const string_view link(target, static_cast<size_t>(size));
    path =
        link.front() == '/' ? std::string(link) : StrCat(FolderOf(path), link);
  }
  return ErrnoStatus(ELOOP, path, "cannot open it");
}

// The name of the current temporary file, for RemoveTemporaryFile.
std::atomic<const char*> temporary_name{nullptr};

// A new file that the destructor removes unless it has been renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(string_view folder) : folder_(folder) {}
  ~TemporaryFile() {
    if (!file_exists_) return;
    unlink(name_.c_str());
    temporary_name = nullptr;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Creates the file with a unique name and the default mode of new files.
  Failure Create() {
    static std::atomic<uint64_t> count{0};
    do {
      temporary_name = nullptr;
      name_ = StrCat(folder_, ".stowage-", getpid(), "-", count++);
      // The name is stored before the file is created, so RemoveTemporaryFile
      // knows it even if a signal terminates the program right after the file
      // has been created.
      temporary_name = name_.c_str();
      file_ = FileDescriptor(
          open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    } while (!file_.ok() && errno == EEXIST);
    file_exists_ = file_.ok();
    if (file_exists_) return {};
    const int error = errno;
    temporary_name = nullptr;
    return {error, "cannot create a file in its folder"};
  }

  Failure SetMode(mode_t mode) {
    if (fchmod(file_.get(), mode & 0777) == 0) return {};
    return {errno, "cannot set its permissions"};
  }

  Failure Write(const Fill& fill) {
    const Failure failure = fill(file_.get());
    if (!failure.ok()) return failure;
    if (fsync(file_.get()) != 0) return {errno, "cannot write it to the disk"};
    return Close(std::move(file_));
  }

  Failure RenameTo(const std::string& target) {
    if (rename(name_.c_str(), target.c_str()) != 0) {
      return {errno, "cannot replace it"};
    }
    file_exists_ = false;
    temporary_name = nullptr;
    return {};
  }

 private:
  string_view folder_;
  std::string name_;
  FileDescriptor file_;
  bool file_exists_ = false;
};

// Writes a new file and renames it to `target`. `mode` is the mode of `target`,
// or nullopt if `target` does not exist.
Failure Replace(const std::string& target, optional<mode_t> mode,
                const Fill& fill) {
  // A write-protected file is refused here, because renaming would replace it
  // nevertheless.
  if (mode && access(target.c_str(), W_OK) != 0) {
    return {errno, "cannot write it"};
  }
  TemporaryFile file(FolderOf(target));
  Failure failure = file.Create();
  if (failure.ok() && mode) failure = file.SetMode(*mode);
  if (failure.ok()) failure = file.Write(fill);
  if (failure.ok()) failure = file.RenameTo(target);
  return failure;
}

// Returns whether standard output is already connected to this file, for
// example because the path is /dev/stdout.
bool IsStandardOutput(const struct stat& info) {
  struct stat output = {};
  return fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == info.st_dev &&
         output.st_ino == info.st_ino;
}

Status WriteStandardOutput(const Fill& fill) {
  std::fflush(stdout);  // keeps the order with text that was printed before
  return fill(STDOUT_FILENO).About("<stdout>");
}

Status FillFile(const std::string& path, const Fill& fill) {
  if (path == kStandardStream) return WriteStandardOutput(fill);
  struct stat info = {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) {
    return ErrnoStatus(errno, path, "cannot read its attributes");
  }
  if (exists && S_ISDIR(info.st_mode)) {
    return FailedPreconditionError(StrCat(path, ": a folder; expected a file"));
  }
  if (exists && IsStandardOutput(info)) return WriteStandardOutput(fill);
  if (exists && !S_ISREG(info.st_mode)) return WriteDirectly(path, fill);
  const StatusOr<std::string> target = FollowLinks(path);
  if (!target.ok()) return target.status();
  return Replace(*target, exists ? make_optional(info.st_mode) : nullopt, fill)
      .About(path);
}

}  // namespace

void RemoveTemporaryFile() {
  const char* const name = temporary_name.exchange(nullptr);
  if (name != nullptr) unlink(name);
}

Status WriteFile(const std::string& path, string_view content) {
  return FillFile(path, [&](int fd) { return WriteAll(fd, content); });
}

Status WriteFileInPieces(
    const std::string& path,
    const std::function<Status(const WriteText& write)>& produce) {
  Status produced;
  Status written = FillFile(path, [&](int fd) -> Failure {
    produced = produce(
        [&](string_view piece) { return WriteAll(fd, piece).About(path); });
    return produced.ok() ? Failure() : Failure{ECANCELED, "cannot write it"};
  });
  return produced.ok() ? written : produced;
}

}  // namespace stowage
