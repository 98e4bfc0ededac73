// SPDX-License-Identifier: Apache-2.0
// A command line split into the words that a program is started with.
//
// No shell reads it: nothing is expanded, file names may contain blanks and
// quotes, and the process that is started is the planner itself, so that
// killing its process group ends it. A command that needs a shell names it:
// sh -c 'my-planner < {in} > {out}'.
#ifndef STOWAGE_SRC_TESTING_COMMAND_WORDS_H_
#define STOWAGE_SRC_TESTING_COMMAND_WORDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::program {

// Words as shells split them: at blanks, but not within '...' or "...", where a
// backslash takes the next character as it is, and within "..." only if that is
// a quote or a backslash. Error: InvalidArgument if a quote is not closed, a
// backslash is the last character, or there is no word.
absl::StatusOr<std::vector<std::string>> SplitCommand(
    absl::string_view command);

// The words with every {in} and {out} in them replaced by these paths.
std::vector<std::string> FillIn(const std::vector<std::string>& words,
                                const std::string& in, const std::string& out);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_COMMAND_WORDS_H_
