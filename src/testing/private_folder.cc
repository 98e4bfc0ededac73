// SPDX-License-Identifier: Apache-2.0
#include "src/testing/private_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/io/file_descriptor.h"

namespace stowage::program {

namespace fs = std::filesystem;

namespace {

// Gives the owner access to all folders below `path`, because folders without
// access cannot be removed.
void GrantAccess(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(path, ignored))) return;
  fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, ignored);
  for (fs::directory_iterator entry(path, ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    GrantAccess(entry->path());
  }
}

// Removes the folder, with several attempts. A process that has just been
// killed may still complete a system call, and may thereby create a file after
// the files in the folder have been listed. The folder is then not empty, and
// the next attempt removes it.
void RemoveAll(const fs::path& path) {
  constexpr int kAttempts = 50;
  constexpr std::chrono::milliseconds kPause{2};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kPause);
    GrantAccess(path);
    std::error_code error;
    fs::remove_all(path, error);
    if (!error) return;
  }
}

}  // namespace

absl::Status PrivateFolder::Create() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("no folder for temporary files: ", error.message(),
                     "; expected TMPDIR to name one"));
  }
  std::string path = (fs::absolute(parent) / "stowage-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) {
    return ErrnoStatus(errno, parent.string(), "cannot make a folder in it");
  }
  path_ = std::move(path);
  return absl::OkStatus();
}

void PrivateFolder::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_closed_ = true;
  if (!path_.empty()) RemoveAll(path_);
  path_.clear();
}

std::string PrivateFolder::Inside() const {
  return absl::StrCat(path_, "/", count_);
}

absl::StatusOr<std::string> PrivateFolder::Renew() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_closed_) return absl::CancelledError("the private folder is closed");
  if (path_.empty()) {
    if (absl::Status status = Create(); !status.ok()) return status;
  }
  RemoveAll(Inside());
  ++count_;
  if (mkdir(Inside().c_str(), S_IRWXU) == 0) return Inside();
  // The program has removed the folder or replaced it with something else.
  RemoveAll(path_);
  if (mkdir(path_.c_str(), S_IRWXU) != 0 ||
      mkdir(Inside().c_str(), S_IRWXU) != 0) {
    return ErrnoStatus(errno, Inside(), "cannot make it again");
  }
  return Inside();
}

}  // namespace stowage::program
