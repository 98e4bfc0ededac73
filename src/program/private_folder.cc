#include "src/program/private_folder.h"

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
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace stowage::program
