// SPDX-License-Identifier: Apache-2.0
// The files of the project, and what every one of them must satisfy.
#ifndef STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_
#define STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::house {

// Paths relative to `root`, sorted: the files that git tracks, or without git
// every file outside build/ and hidden folders.
std::vector<std::string> ProjectFiles(const std::string& root);

// The same without asking git.
std::vector<std::string> WalkFiles(const std::string& root);

std::string ReadFileOrDie(const std::string& path);

// Returns whether it is C++: .h, .cc, .cpp, .hpp.
bool IsSource(absl::string_view path);

// Each says what is wrong with a file, and is empty if nothing is.

// The top level holds what the design lists, and hidden files.
std::string PlaceOffence(absl::string_view path);
// A source over 500 lines holds two ideas.
std::string LengthOffence(absl::string_view path, absl::string_view content);
// A source or script states its licence in its first two lines.
std::string LicenceOffence(absl::string_view path, absl::string_view content);
// Nothing names folders that other clones do not have.
std::string ForeignPathOffence(absl::string_view path,
                               absl::string_view content);

}  // namespace stowage::house

#endif  // STOWAGE_TESTS_HOUSE_PROJECT_FILES_H_
