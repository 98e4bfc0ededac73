// SPDX-License-Identifier: Apache-2.0
// Lists the files of the project and checks what each of them must satisfy.
#ifndef STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_
#define STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::house {

// Returns the sorted paths of the files of the project, relative to `root`.
// These are the files that git tracks. Without git, they are all files outside
// build/ and hidden folders.
std::vector<std::string> ProjectFiles(const std::string& root);

// Returns the sorted paths of all files outside build/ and hidden folders,
// without asking git.
std::vector<std::string> WalkFiles(const std::string& root);

std::string ReadFileOrDie(const std::string& path);

// Returns whether the file is C++: .h, .cc, .cpp or .hpp.
bool IsSource(absl::string_view path);

// Each of the following functions returns what is wrong with a file, or "" if
// nothing is wrong.

// Checks that a file at the top level is one of those that the design lists, or
// a hidden file.
std::string PlaceOffence(absl::string_view path);
// Checks that a source has at most 500 lines, because a longer source contains
// more than one idea.
std::string LengthOffence(absl::string_view path, absl::string_view content);
// Checks that a source or script states its licence in its first two lines.
std::string LicenceOffence(absl::string_view path, absl::string_view content);
// Checks that a file does not name folders that exist only on the machine of a
// developer.
std::string ForeignPathOffence(absl::string_view path,
                               absl::string_view content);

}  // namespace stowage::house

#endif  // STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_
