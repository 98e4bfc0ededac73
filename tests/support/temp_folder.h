// SPDX-License-Identifier: Apache-2.0
// Files for one test, gone at its end.
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

  // The path of `name` in the folder.
  std::string Path(absl::string_view name) const;
  // Makes a file and returns its path.
  std::string Write(absl::string_view name, absl::string_view content) const;
  std::string Read(absl::string_view name) const;
  // The names in the folder, sorted: what a test has left there.
  std::vector<std::string> Names() const;

 private:
  std::string folder_;
};

// Standard input or output, for a time another file.
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
