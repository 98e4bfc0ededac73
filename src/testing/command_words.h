// SPDX-License-Identifier: Apache-2.0
// Splits a command line into the words that a program is started with.
//
// No shell is involved: nothing is expanded, file names may contain blanks and
// quotes, and the process that is started is the planner itself, so killing its
// process group ends it. A command that needs a shell must name the shell:
//
//   sh -c 'my-planner < {in} > {out}'
#ifndef STOWAGE_SRC_TESTING_COMMAND_WORDS_H_
#define STOWAGE_SRC_TESTING_COMMAND_WORDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::program {

// Splits a command as shells do: at blanks outside of '...' and "...". Outside
// of quotes a backslash takes the next character literally; within "..." it
// does so only before a quote or a backslash. Error: InvalidArgument if a quote
// is not closed, if the last character is a backslash, or if there is no word.
absl::StatusOr<std::vector<std::string>> SplitCommand(
    absl::string_view command);

// Returns the words with these paths in place of every {in} and {out}.
std::vector<std::string> FillIn(const std::vector<std::string>& words,
                                const std::string& in, const std::string& out);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_COMMAND_WORDS_H_
