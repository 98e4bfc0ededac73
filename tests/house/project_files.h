// SPDX-License-Identifier: Apache-2.0
// Lists the files of the project and checks what each of them must satisfy.
#ifndef STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_
#define STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::house {

// Returns paths relative to `root`, sorted: the files that git tracks or,
// without git, every file outside build/ and hidden folders.
std::vector<std::string> ProjectFiles(const std::string& root);

// Returns the same without asking git.
std::vector<std::string> WalkFiles(const std::string& root);

std::string ReadFileOrDie(const std::string& path);

// Returns whether the file is C++: .h, .cc, .cpp or .hpp.
bool IsSource(absl::string_view path);

// Each of these returns what is wrong with a file; empty if nothing is.

// Requires that the top level holds what the design lists, and hidden files.
std::string PlaceOffence(absl::string_view path);
// Requires at most 500 lines; a longer source holds two ideas.
std::string LengthOffence(absl::string_view path, absl::string_view content);
// Requires a source or script to state its licence in its first two lines.
std::string LicenceOffence(absl::string_view path, absl::string_view content);
// Requires that no file names folders that other clones do not have.
std::string ForeignPathOffence(absl::string_view path,
                               absl::string_view content);

}  // namespace stowage::house

#endif  // STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_
