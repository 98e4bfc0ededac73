// SPDX-License-Identifier: Apache-2.0
// Provides a temporary folder for a program that may not clean up after itself.
//
//   PrivateFolder folder;
//   absl::StatusOr<std::string> empty = folder.Renew();
//
// For files that only the caller uses, std::filesystem::temp_directory_path()
// is sufficient.
#ifndef STOWAGE_SRC_TESTING_PRIVATE_FOLDER_H_
#define STOWAGE_SRC_TESTING_PRIVATE_FOLDER_H_

#include <cstddef>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"

namespace stowage::program {

// The first Renew() creates the folder, with a unique name and with access only
// for the user, in TMPDIR or, if that is not set, in /tmp. The destructor calls
// Close(). Thread-safe.
class PrivateFolder {
 public:
  PrivateFolder() = default;
  ~PrivateFolder() { Close(); }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  // Replaces the previous subfolder with a new empty one and returns its path.
  // This works even if a program has removed or replaced the folders. Errors:
  // those of the system, with the path; Cancelled after Close().
  absl::StatusOr<std::string> Renew();

  // Removes the folder and everything in it that the system permits to remove.
  // Every later Renew() fails. May be called by another thread while programs
  // that have just been killed are still writing to the folder.
  void Close();

 private:
  absl::Status Create();
  std::string Inside() const;

  std::mutex mutex_;
  std::string path_;  // is guarded by mutex_, and is empty before Create()
  size_t count_ = 0;  // is guarded by mutex_, and counts calls of Renew()
  bool is_closed_ = false;  // is guarded by mutex_
};

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_PRIVATE_FOLDER_H_
