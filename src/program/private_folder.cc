#include "src/program/private_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/trace/file_descriptor.h"

namespace stowage::program {

namespace fs = std::filesystem;

namespace {

// Lets the owner look into all folders below, or they cannot be removed.
void Open(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(path, ignored))) return;
  fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, ignored);
  for (fs::directory_iterator entry(path, ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    Open(entry->path());
  }
}

void RemoveAll(const fs::path& path) {
  Open(path);
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace

absl::StatusOr<PrivateFolder> PrivateFolder::Create() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("no folder for temporary files: ", error.message(),
                     ": expected TMPDIR to name one"));
  }
  std::string path = (fs::absolute(parent) / "stowage-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) {
    return ErrnoStatus(errno, parent.string(), "cannot make a folder in it");
  }
  return PrivateFolder(std::move(path));
}

PrivateFolder::~PrivateFolder() {
  if (!path_.empty()) Remove();
}

void PrivateFolder::Remove() const { RemoveAll(path_); }

std::string PrivateFolder::Inside() const {
  return absl::StrCat(path_, "/", count_);
}

absl::StatusOr<std::string> PrivateFolder::Renew() {
  RemoveAll(Inside());
  ++count_;
  if (mkdir(Inside().c_str(), S_IRWXU) == 0) return Inside();
  // Somebody has removed it, or put something else there.
  Remove();
  if (mkdir(path_.c_str(), S_IRWXU) != 0 ||
      mkdir(Inside().c_str(), S_IRWXU) != 0) {
    return ErrnoStatus(errno, Inside(), "cannot make it again");
  }
  return Inside();
}

}  // namespace stowage::program
