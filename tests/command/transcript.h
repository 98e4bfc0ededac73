// SPDX-License-Identifier: Apache-2.0
// Text with commands in it, and what they answer.
#ifndef STOWAGE_TESTS_COMMAND_TRANSCRIPT_H_
#define STOWAGE_TESTS_COMMAND_TRANSCRIPT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tests/command/command.h"

namespace stowage::cli {

// The text with every time in it replaced.
std::string MaskTimes(const std::string& text);

// Both take a text and return it with the answers that its commands give now:
// lines that start with "$ " run in `folder`, and what follows them is
// replaced.
//
// In a transcript the answer ends with "[exit CODE]", and lines of standard
// error start with "! ".
std::string ReplayTranscript(const CommandFolder& folder,
                             absl::string_view text);
// In Markdown the answer ends with the block of code that it is in.
std::string ReplayMarkdown(const CommandFolder& folder, absl::string_view text);

// Expects that the file at `path` is as it would be replayed, but for times;
// or makes it so, where the variable STOWAGE_UPDATE_TRANSCRIPTS is set.
void ExpectReplay(const CommandFolder& folder, const std::string& path,
                  std::string (*replay)(const CommandFolder&,
                                        absl::string_view));

}  // namespace stowage::cli

#endif  // STOWAGE_TESTS_COMMAND_TRANSCRIPT_H_
