// SPDX-License-Identifier: Apache-2.0
// A temporary folder for a program that is not trusted to leave it in order.
//
//   PrivateFolder folder;
//   absl::StatusOr<std::string> empty = folder.Renew();  //
//   .../stowage-x1y2z3/1
//
// For files of the caller alone, std::filesystem::temp_directory_path() will
// do.
#ifndef STOWAGE_SRC_TESTING_PRIVATE_FOLDER_H_
#define STOWAGE_SRC_TESTING_PRIVATE_FOLDER_H_

#include <cstddef>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"

namespace stowage::program {

// Made under TMPDIR, or /tmp, by the first Renew(), with a unique name and for
// the user alone; the destructor closes it. Thread-safe.
class PrivateFolder {
 public:
  PrivateFolder() = default;
  ~PrivateFolder() { Close(); }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  // The path of a new empty folder in it, which replaces the one before,
  // whatever has been done to either. Errors: what the system reports, with the
  // path; Cancelled once it is closed.
  absl::StatusOr<std::string> Renew();

  // Removes it with everything in it, as far as the system permits, and leaves
  // Renew() nothing to do but fail. Another thread may call it while programs
  // that have just been killed still write there.
  void Close();

 private:
  absl::Status Create();
  std::string Inside() const;

  std::mutex mutex_;
  std::string path_;        // by mutex_; empty before Create()
  size_t count_ = 0;        // by mutex_; of Renew()
  bool is_closed_ = false;  // by mutex_
};

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_PRIVATE_FOLDER_H_
