// SPDX-License-Identifier: Apache-2.0
// Provides a folder for the files of one test. The folder is removed at the end
// of the test.
#ifndef STOWAGE_TESTS_SUPPORT_TEMP_FOLDER_H_
#define STOWAGE_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace stowage {

class TempFolderTest : public ::testing::Test {
 protected:
  TempFolderTest();
  ~TempFolderTest() override;

  // Returns the path of the file `name` in the folder.
  std::string Path(absl::string_view name) const;
  // Writes a file and returns its path.
  std::string Write(absl::string_view name, absl::string_view content) const;
  std::string Read(absl::string_view name) const;
  // Returns the sorted names of the files in the folder, so that a test can
  // check which files remain.
  std::vector<std::string> Names() const;

 private:
  std::string folder_;
};

// Redirects standard input or output to another file during the lifetime of the
// object.
class StreamReplaced {
 public:
  StreamReplaced(int stream, int file);
  ~StreamReplaced();
  StreamReplaced(const StreamReplaced&) = delete;
  StreamReplaced& operator=(const StreamReplaced&) = delete;

 private:
  int stream_;
  int before_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_TEMP_FOLDER_H_
