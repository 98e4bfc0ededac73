// A folder that nobody else has, for as long as an object lives.
#ifndef STOWAGE_SRC_PROGRAM_PRIVATE_FOLDER_H_
#define STOWAGE_SRC_PROGRAM_PRIVATE_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace stowage::program {

// Made under TMPDIR, or /tmp, with a name of its own and for the user alone;
// removed with all that is in it.
class PrivateFolder {
 public:
  // Error: what the system reports, with the path.
  static absl::StatusOr<PrivateFolder> Create();
  PrivateFolder(PrivateFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  // Without a slash at its end.
  const std::string& path() const { return path_; }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty if moved from
};

}  // namespace stowage::program

#endif  // STOWAGE_SRC_PROGRAM_PRIVATE_FOLDER_H_
