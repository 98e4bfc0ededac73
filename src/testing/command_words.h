// SPDX-License-Identifier: Apache-2.0
// Splits a command line into the words with which a program is started.
//
// No shell is involved: nothing is expanded, and file names may contain spaces
// and quotes. The started process is the planner itself, so killing its process
// group terminates the planner. A command that needs a shell must name the
// shell:
//
//   sh -c 'my-planner < {in} > {out}'
#ifndef STOWAGE_SRC_TESTING_COMMAND_WORDS_H_
#define STOWAGE_SRC_TESTING_COMMAND_WORDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::program {

// Splits a command as shells do: at whitespace outside of '...' and "...". A
// backslash outside of quotes makes the next character literal; within "...",
// it does so only before a quote or a backslash. Errors: InvalidArgument if a
// quote is not closed, if the last character is a backslash, or if there is no
// word.
absl::StatusOr<std::vector<std::string>> SplitCommand(
    absl::string_view command);

// Returns the words with every {in} and {out} replaced by these paths.
std::vector<std::string> FillIn(const std::vector<std::string>& words,
                                const std::string& in, const std::string& out);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_COMMAND_WORDS_H_
