// A folder that nobody else has, for as long as an object lives.
#ifndef STOWAGE_SRC_PROGRAM_PRIVATE_FOLDER_H_
#define STOWAGE_SRC_PROGRAM_PRIVATE_FOLDER_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace stowage::program {

// Made under TMPDIR, or /tmp, with a name of its own and for the user alone;
// removed with all that is in it, as far as the system lets us.
class PrivateFolder {
 public:
  // Error: what the system reports, with the path.
  static absl::StatusOr<PrivateFolder> Create();
  PrivateFolder(PrivateFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")), count_(other.count_) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  // Without a slash at its end.
  const std::string& path() const { return path_; }

  // A new folder in it, in the place of the one before, whatever has been done
  // to either. Error: what the system reports, with the path.
  absl::StatusOr<std::string> Renew();

  // Removes all there is now. Any thread may call it.
  void Remove() const;

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string Inside() const;

  std::string path_;  // empty if moved from
  size_t count_ = 0;  // of Renew
};

}  // namespace stowage::program

#endif  // STOWAGE_SRC_PROGRAM_PRIVATE_FOLDER_H_
