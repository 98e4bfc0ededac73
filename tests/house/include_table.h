// SPDX-License-Identifier: Apache-2.0
// Which part of the project may include which: the table of the design, and
// the test for one include.
#ifndef STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_
#define STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::house {

// What a source includes, as written: "stowage/verify.h", "<vector>".
std::vector<std::string> IncludesOf(absl::string_view content);

// The part that a file belongs to: "verify", "trace", "strategy naive", ...;
// empty for a file that the table does not know.
std::string PartOf(absl::string_view path);

// The file of the project that an include names, or nothing for libraries.
std::string ProjectFileOf(absl::string_view include);

// What is wrong with `path` including `include`; empty if nothing is.
std::string IncludeOffence(absl::string_view path, absl::string_view include);

}  // namespace stowage::house

#endif  // STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_
