// SPDX-License-Identifier: Apache-2.0
// Lists the files of the project, and checks that each file satisfies the rules
// of the project.
#ifndef STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_
#define STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::house {

// Returns the sorted paths of the files of the project, relative to `root`: the
// files that git tracks or, without git, all files outside build/ and hidden
// folders.
std::vector<std::string> ProjectFiles(const std::string& root);

// Returns the sorted paths of all files outside build/ and hidden folders,
// without using git.
std::vector<std::string> WalkFiles(const std::string& root);

std::string ReadFileOrDie(const std::string& path);

// Returns whether the file is C++, which means that it ends in .h, .cc, .cpp or
// .hpp.
bool IsSource(absl::string_view path);

// Each of the following functions returns a message that describes a fault of a
// file, or "" if the file has no fault.

// Checks that a file at the top level is hidden or is listed in the design.
std::string PlaceOffence(absl::string_view path);
// Checks that a source has at most 500 lines. A longer source contains more
// than one idea.
std::string LengthOffence(absl::string_view path, absl::string_view content);
// Checks that a source or script states its license in its first two lines.
std::string LicenceOffence(absl::string_view path, absl::string_view content);
// Checks that a file does not name folders that exist only on a developer's
// machine.
std::string ForeignPathOffence(absl::string_view path,
                               absl::string_view content);

}  // namespace stowage::house

#endif  // STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_
